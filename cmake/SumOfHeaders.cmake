# Writes what a compiler cache takes for a precompiled header: TEXT and the
# hashes of HEADERS.
# Usage: cmake -DOUTPUT=file -DTEXT=text -DHEADERS=list -P SumOfHeaders.cmake
set(sum "${TEXT}\n")
foreach(header ${HEADERS})
  file(SHA256 ${header} hash)
  string(APPEND sum "${hash}\n")
endforeach()
file(WRITE ${OUTPUT} "${sum}")
