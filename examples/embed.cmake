# Turns a text file into a C++ string literal that can be included:
#   cmake -DINPUT=kernel.py -DOUTPUT=kernel.py.inc -P embed.cmake
# Literals may not be longer than 64 KiB everywhere, so each line becomes one of its own.
file(READ ${INPUT} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\t" "\\t" text "${text}")
string(REPLACE "\n" "\\n\"\n\"" text "${text}")
file(WRITE ${OUTPUT} "\"${text}\"\n")
