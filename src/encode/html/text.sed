# Makes the lines of a text strings of C.
s/\\/\\\\/g
s/"/\\"/g
s/^/"/
s/$/\\n"/
