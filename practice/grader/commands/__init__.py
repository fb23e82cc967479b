"""What the commands of the judge do; `cli` reads the command line and calls them."""
