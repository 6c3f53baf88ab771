// The data is a block of JSON, which the page's code parses and shows only as
// text. Every `<` in it is written as an escape of JSON, so that no end tag and
// no comment can begin in it.
#include "tools/tenon/report/Page.h"

#include "llvm/Support/FormatVariadic.h"

#define TENON_PART(name)                                                       \
  extern "C" const unsigned char tenon_report_##name[];                        \
  extern "C" const size_t tenon_report_##name##_size;
TENON_PART(style)
TENON_PART(body)
TENON_PART(text)
TENON_PART(layout)
TENON_PART(graph)
TENON_PART(model)
TENON_PART(details)
TENON_PART(kernels)
TENON_PART(charts)
TENON_PART(page)
#undef TENON_PART

namespace tenon::cli {

static std::string escapeMarkup(const std::string &json) {
  std::string escaped;
  for (char c : json)
    if (c == '<')
      escaped += "\\u003c";
    else
      escaped += c;
  return escaped;
}

std::string asPage(llvm::json::Value data) {
  // Nothing is loaded: the policy forbids it.
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src "
      "data:\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>Tenon "
      "report</title>\n<style>\n";
  auto add = [&](const unsigned char *part, size_t size) {
    page.append(reinterpret_cast<const char *>(part), size);
  };
  add(tenon_report_style, tenon_report_style_size);
  page += "</style>\n</head>\n<body>\n";
  add(tenon_report_body, tenon_report_body_size);
  page += "<script id=\"data\" type=\"application/json\">";
  page += escapeMarkup(llvm::formatv("{0}", data));
  page += "</script>\n<script>\n\"use strict\";\n";
  add(tenon_report_text, tenon_report_text_size);
  add(tenon_report_layout, tenon_report_layout_size);
  add(tenon_report_graph, tenon_report_graph_size);
  add(tenon_report_model, tenon_report_model_size);
  add(tenon_report_details, tenon_report_details_size);
  add(tenon_report_kernels, tenon_report_kernels_size);
  add(tenon_report_charts, tenon_report_charts_size);
  add(tenon_report_page, tenon_report_page_size);
  page += "</script>\n</body>\n</html>\n";
  return page;
}

} // namespace tenon::cli
