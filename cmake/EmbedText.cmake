# Turns files into the elements of a constant array that can be included, one after the other:
#   cmake -DINPUTS=page.js,links.js -DOUTPUT=page.js.inc -P EmbedText.cmake
string(REPLACE "," ";" inputs "${INPUTS}")
set(bytes "")
foreach(input IN LISTS inputs)
  file(READ ${input} hex HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," hex "${hex}")
  string(APPEND bytes "${hex}\n")
endforeach()
file(WRITE ${OUTPUT} "${bytes}")
