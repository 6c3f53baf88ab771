#!/bin/sh
# Stands for NVIDIA's assembler: ptxas -arch=ARCH -o OUT IN. FAKE says how it
# fails.
case "$FAKE" in
refuse) echo "ptxas fatal   : Unsupported .version 7.0"; exit 255 ;;
kill) kill -9 $$ ;;
nothing) exit 0 ;;
hang) echo $$ > "$FAKE_ID"; exec sleep 1000 ;;
esac
grep -q "^\.target ${1#-arch=}$" "$4" || exit 1
printf '\177ELF code of %s' "${1#-arch=}" > "$3"
