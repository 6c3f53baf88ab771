# Writes a C file that defines SYMBOL[] with the bytes of INPUT, and
# SYMBOL_size.
# Usage: cmake -DINPUT=file -DOUTPUT=file.c -DSYMBOL=name -P EmbedBytes.cmake
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUTPUT} "#include <stddef.h>
const unsigned char ${SYMBOL}[] = {
${hex}};
const size_t ${SYMBOL}_size = sizeof ${SYMBOL};
")
