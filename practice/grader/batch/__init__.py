"""A whole class graded: what was handed in, one row for every student and exercise, a journal, and who grades."""
