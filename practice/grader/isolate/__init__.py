"""Untrusted wing: runs the learner's code in a process of its own; knows no reference and no expected value."""
