"""An exercise proves itself: right answers pass, wrong ones fail, and no change of the reference goes unnoticed."""
