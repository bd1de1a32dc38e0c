"""Reading whatever people hold: the door for input."""
