// Tests the text of messages: layout and escaping.
#include "compiler/report/Diagnostic.h"

#include <gtest/gtest.h>

using namespace tenon;

namespace {

TEST(Diagnostic, LayoutIsFilePlaceSeverityTextDetailsHelp) {
  Diagnostic d;
  d.file = "m.onnx";
  d.place = "node \"x\" (MatMul)";
  d.text = "expected 2 inputs, got 1";
  d.details = {"input 0 is f32[4]"};
  d.help = "give two";
  EXPECT_EQ(formatDiagnostic(d),
            "m.onnx: node \"x\" (MatMul): error: expected 2 inputs, got 1\n"
            "  input 0 is f32[4]\n"
            "  help: give two\n");
  Diagnostic bare;
  bare.severity = Severity::Note;
  bare.text = "tuned";
  EXPECT_EQ(formatDiagnostic(bare), "note: tuned\n");
  bare.severity = Severity::Remark;
  EXPECT_EQ(formatDiagnostic(bare), "remark: tuned\n");
}

TEST(Diagnostic, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(escapeForTerminal("a\tb\n\x1b[2J\x7f"),
            "a\\x09b\\x0a\\x1b[2J\\x7f");
  EXPECT_EQ(escapeForTerminal(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(escapeForTerminal("\xc2\x9b"), "\\xc2\\x9b"); // C1 CSI
}

TEST(Diagnostic, KeepsTextAndEscapesWhatIsNoUtf8) {
  EXPECT_EQ(escapeForTerminal("caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80");
  EXPECT_EQ(escapeForTerminal("\xff"), "\\xff");
  EXPECT_EQ(escapeForTerminal("\xc0\xaf"), "\\xc0\\xaf");          // overlong
  EXPECT_EQ(escapeForTerminal("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // surrogate
  EXPECT_EQ(escapeForTerminal("\xe4\xb8"), "\\xe4\\xb8");          // cut
  EXPECT_EQ(escapeForTerminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

} // namespace
