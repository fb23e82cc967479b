"""The engine of the judge: `verify` holds the truth, `isolate` runs the answer, `tell` finds the words."""
