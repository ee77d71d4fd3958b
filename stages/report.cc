#include "stages/report.h"

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/functions.h"
#include "lib/report/html_page.h"
#include "lib/report/report.h"
#include "lib/sweep/sweep_report.h"

namespace headway {
namespace {

constexpr const char* kReportExample =
    "  report:\n"
    "    uses: report\n"
    "    in: {curves: curves.svg, heads: ablate.table, evaluation: evaluate.metrics}\n"
    "    with: {template: report.md}\n"
    "\n"
    "  report.md is Markdown; what stands in double braces is filled in:\n"
    "    # Does it learn to add?\n"
    "    It gets {{ evaluation.greedy percent }} of the problems right.\n"
    "    {{ figure curves \"The training.\" }}\n"
    "    {{ table heads columns=label,drop rows=10 }}\n"
    "    {{ let critical = where(heads, drop > 10) }}\n"
    "    {{ if critical }}\n"
    "    Critical: {{ for head in critical separator=\", \" }}{{ head.label }}{{ end }}.\n"
    "    {{ end }}\n"
    "    {{ all }}                            every input that nothing above showed\n";

// The list of expression functions, below the example.
std::string functions_of_expressions() {
  const std::vector<std::string> usages = texts_of(template_functions(), &TemplateFunction::usage);
  return "\n  functions of expressions; conditions, keys and numbers of tables are evaluated for "
         "each\n"
         "  row, where its columns are names:\n" +
         wrapped(join(usages, "  "), 100, "    ") +
         "  formats of values: " + join(value_formats(), ", ") + "\n";
}

SchemaOf<ReportParams> declare() {
  using Params = ReportParams;
  SchemaOf<Params> schema;
  schema.add("template", &Params::text,
             "Markdown with directives; none: everything that is connected, one after the other");
  schema.add("title", &Params::title, "instead of the template's first heading");
  schema.add("times", &Params::times,
             "show when and where stages ran and how long they took; without, the page depends on "
             "the artifacts alone");
  schema.add("missing", &Params::missing,
             "what the report does without, said at its beginning; `headway report` names failed "
             "stages here");
  schema.add("warnings", &Params::warnings,
             "what is wrong with results, said at its beginning; `headway report` names missed "
             "expectations that only warn here");
  return schema;
}

ReportTemplate read_template(const std::string& file, const Path& folder, bool is_sweep) {
  if (file.empty())
    return parse_template(is_sweep ? kSweepTemplate : kDefaultTemplate, "the default template");
  RealFileSystem files;
  std::error_code error;  // links to files are accepted
  if (!std::filesystem::is_regular_file(folder / file, error))
    throw Error("no such file: {}", printable(file));
  return parse_template(files.read(folder / file).value_or(""), printable(file));
}

// Finds directives that name unconnected inputs before anything runs.
void check_report(const StageDeclaration& declaration, Diagnostics& diagnostics) {
  const Value* file = declaration.params.find("template");
  if (!file || !file->text() || file->text()->empty()) return;
  try {
    const ReportTemplate text = read_template(*file->text(), declaration.folder, false);
    Diagnostics found;
    check_directives(text, declaration.ports, found);
    found.throw_if_any();
  } catch (const Error& error) {
    for (const std::string& mistake : split(error.what(), '\n'))
      diagnostics.add(file->location, "{}: {}", declaration.subject, mistake);
  }
}

// The file name declared by the stage; in the store it has another.
std::string file_name(const Provenance& provenance, const std::string& origin, const Path& path) {
  const StageOrigin* stage = provenance.maker_of(origin);
  if (stage) {
    for (const StageOrigin::Output& output : stage->outputs) {
      if (origin == stage->name + "." + output.name) return Path(output.file).filename().string();
    }
  }
  return path.filename().string();
}

Sources read_sources(const StageContext& context, const Provenance& provenance) {
  Sources sources;
  RealFileSystem files;
  for (std::size_t i = 0; i < context.inputs().size(); ++i) {
    const InputPaths& input = context.inputs()[i];
    const std::vector<std::string>& origins = provenance.inputs.at(i).sources;
    std::vector<SourceFile> read;
    for (std::size_t k = 0; k < input.paths.size(); ++k) {
      context.throw_if_cancelled();
      const Path& path = input.paths[k];
      const std::optional<FileInfo> info = files.info(path);
      if (info && info->is_directory())
        throw Error("input '{}' ({}): a file is expected, not a folder", input.port, origins.at(k));
      std::optional<std::string> bytes = files.read(path);
      if (!bytes) throw Error("input '{}' ({}) is gone", input.port, origins.at(k));
      read.push_back({input.items.at(k), origins.at(k), file_name(provenance, origins.at(k), path),
                      std::move(*bytes)});
    }
    sources.add(input.port, std::move(read));
  }
  return sources;
}

void write_report(const StageContext& context, const Report& report) {
  RealFileSystem files;
  files.write(context.output("page"), report.html, Durability::kCached);
  files.write(context.output("markdown"), report.markdown, Durability::kCached);
  const Path& folder = context.output("figures");
  files.make_directories(folder);
  for (const auto& [name, svg] : report.pictures)
    files.write(folder.parent_path() / name, svg, Durability::kCached);
}

TemplatePart text_part(std::string text) {
  TemplatePart part;
  part.text = std::move(text);
  return part;
}

std::string note_of(const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = heading + std::string("\n\n");
  for (const std::string& line : lines) text += "- " + markdown_escaped(line) + "\n";
  return text + "\n";
}

// Right below the title. A sweep's report names its sweep itself.
std::string note_of_variation(const Provenance& provenance) {
  if (provenance.variant.empty() || is_of_sweep(provenance)) return "";
  return "Of the variation " + markdown_code(provenance.variant) + ".\n\n";
}

void run_report(StageContext& context) {
  const ReportParams params = report_schema().read(context.params());
  const Provenance provenance =
      parse_provenance(RealFileSystem().read(context.provenance()).value_or(""));
  const Sources sources = read_sources(context, provenance);
  ReportTemplate text = read_template(params.text.path, context.folder(), is_of_sweep(provenance));
  if (!params.title.empty()) text.title = params.title;
  const std::string notes =
      note_of_variation(provenance) + note_of("**Not all stages have a result:**", params.missing) +
      note_of("**Results miss expectations that only warn:**", params.warnings);
  if (!notes.empty()) text.parts.insert(text.parts.begin(), text_part(notes));
  write_report(context, make_report(text, sources, provenance, context.work()));
}

}  // namespace

const SchemaOf<ReportParams>& report_schema() {
  static const SchemaOf<ReportParams> kSchema = declare();
  return kSchema;
}

StageType report_stage() {
  StageType type;
  type.name = "report";
  type.version = 2;
  type.summary = "writes what was found: a page that opens from disk, and a Markdown file";
  type.example = kReportExample + functions_of_expressions();
  type.params = std::make_shared<SchemaOf<ReportParams>>(report_schema());
  type.free_inputs = true;
  type.provenance = ProvenanceUse{"times", provenance_text};
  type.outputs = {{"page", "index.html", "the page; it needs no network"},
                  {"markdown", "REPORT.md", "the same, for a repository"},
                  {"figures", "figures", "pictures of REPORT.md"}};
  type.check = check_report;
  type.builtin = run_report;
  return type;
}

}  // namespace headway
