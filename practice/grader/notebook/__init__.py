"""The judge in a notebook's kernel: asks the judge's own process, shows what it says, and grades nothing itself."""
