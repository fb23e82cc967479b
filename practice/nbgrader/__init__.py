"""nbgrader for a class of this course: its settings, and what takes the place of running submissions in a kernel."""
