"""Exercises as assignments for a class: the notebooks, and what a class is told about a grading."""
