"""nbgrader's settings for a course folder.  `judge.py assignment build` copies this file once; then it is yours."""

from pathlib import Path

from practice.nbgrader.settings import grade_with_judge

c = get_config()  # noqa: F821 - nbgrader defines it
grade_with_judge(c)
course = Path(__file__).resolve().parent
c.CourseDirectory.course_id = "long_context"
c.CourseDirectory.root = str(course)
c.Exchange.root = str(course / "exchange")  # for a class, a folder that all students reach
