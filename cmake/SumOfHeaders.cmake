# Writes what a compiler cache takes for a precompiled header: TEXT and the
# hashes of the project's headers in it, and of the files that they are made of.
# Usage: cmake -DOUTPUT=file -DTEXT=text -P SumOfHeaders.cmake, in the project's
# folder
file(GLOB headers RELATIVE ${CMAKE_SOURCE_DIR} cmake/Precompiled.h dialects/tenon/*.h dialects/tenon/*.td)
set(sum "${TEXT}\n")
foreach(header ${headers})
  file(SHA256 ${header} hash)
  string(APPEND sum "${header} ${hash}\n")
endforeach()
file(WRITE ${OUTPUT} "${sum}")
