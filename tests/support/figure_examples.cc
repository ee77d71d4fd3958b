#include "tests/support/figure_examples.h"

#include "lib/base/error.h"

namespace headway::testing {
namespace {

const char* const kTraining =
    "epoch,train_loss,val_loss,token_accuracy,teacher_forced,greedy,learning_rate\n"
    "1,1.5,1.2,0.6,0.1,0.05,0.001\n"
    "2,0.5,0.4,0.9,0.8,,0.001\n"
    "3,0.1,0.05,0.999,0.997,0.99999,0.0005\n";

const char* const kZero =
    "rank,unit,label,kind,module,layer,index,class,drop,low,high,greedy\n"
    "1,encoder.0.self.1,Encoder L0 H1,head,encoder,0,1,critical,40.5,38,43,0.5\n"
    "2,decoder.0.feed,Decoder FFN L0,ffn,decoder-ffn,0,0,important,4,3.1,5,0.9\n"
    "3,encoder.0.self.0,Encoder L0 H0,head,encoder,0,0,redundant,-0.04,-0.3,0.2,0.99\n";

const char* const kMean =
    "rank,unit,label,kind,module,layer,index,class,drop,low,high,greedy\n"
    "1,encoder.0.self.0,Encoder L0 H0,head,encoder,0,0,important,9,8,10,0.9\n"
    "2,encoder.0.self.1,Encoder L0 H1,head,encoder,0,1,important,5,4,6,0.9\n"
    "3,decoder.0.feed,Decoder FFN L0,ffn,decoder-ffn,0,0,redundant,0.5,,,0.99\n";

const char* const kStatistics =
    "head,label,module,layer,index,diagonal,to_the_same_word,entropy,copying\n"
    "decoder.0.self.0,Decoder Self L0 H0,decoder-self,0,0,0.9,,0.2,-0.75\n"
    "decoder.0.self.1,Decoder Self L0 H1,decoder-self,0,1,0.2,0,0.4,0.25\n"
    "decoder.0.cross.0,Decoder Cross L0 H0,decoder-cross,0,0,0.1,0.75,0.5,\n";

// Nothing attends from b to a.
const char* const kRoles =
    "head,label,module,layer,index,query,key,weight,count\n"
    "encoder.0.self.0,Encoder L0 H0,encoder,0,0,a,a,0.25,10\n"
    "encoder.0.self.0,Encoder L0 H0,encoder,0,0,a,b,0.75,10\n"
    "encoder.0.self.0,Encoder L0 H0,encoder,0,0,b,b,1,10\n"
    "encoder.0.self.2,Encoder L0 H2,encoder,0,2,a,a,0.5,10\n"
    "encoder.0.self.2,Encoder L0 H2,encoder,0,2,a,b,0.5,10\n"
    "encoder.0.self.2,Encoder L0 H2,encoder,0,2,b,b,0,10\n"
    "decoder.0.cross.0,Decoder Cross L0 H0,decoder-cross,0,0,sum,a,0.125,10\n"
    "decoder.0.cross.0,Decoder Cross L0 H0,decoder-cross,0,0,sum,b,0.875,10\n";

const char* const kPruning =
    "strategy,removed,accuracy,low,high,unit\n"
    "greedy,0,0.99,0.985,0.995,\n"
    "greedy,1,0.985,0.98,0.99,Encoder L0 H0\n"
    "greedy,2,0.95,0.94,0.96,Encoder L0 H1\n"
    "greedy,3,0.6,0.58,0.62,Decoder Cross L0 H0\n"
    "random,0,0.99,0.985,0.995,\n"
    "random,1,0.7,0.4,0.98,\n";

// No problem has two carries.
const char* const kGroups =
    "group,value,count,greedy,low,high,teacher_forced\n"
    "all,all,810000,0.9995,0.9994,0.9996,0.9995\n"
    "carries,0,136125,1,0.9999,1,1\n"
    "carries,1,673875,0.999,0.9985,0.9995,0.999\n"
    "carries,2,0,0,0,1,0\n"
    "longest_chain,none,136125,1,0.9999,1,1\n"
    "longest_chain,one column,673875,0.999,0.9985,0.9995,0.999\n"
    "role,s1,810000,0.9999,0.9998,1,0.9999\n";

const char* const kClassifierLog =
    "epoch,train_loss,val_loss,accuracy,learning_rate\n"
    "1,0.7,0.69,0.5,0.001\n"
    "2,0.3,0.2,0.98765,0.001\n"
    "3,0.2,0.1,0.98765,0.0005\n"
    "4,0.1,0.15,0.975,0.0001\n";

const char* const kTiming =
    "epoch,seconds,samples_per_second\n"
    "1,30.5,1000\n"
    "2,30,1010\n"
    "3,29.5,1020\n"
    "4,30,1010\n";

const char* const kAlibi =
    "length,negatives,count,accuracy,low,high,trained_from,trained_to\n"
    "8,swaps,1000,1,0.996,1,8,16\n"
    "16,swaps,1000,0.999,0.994,1,8,16\n"
    "64,swaps,1000,0.995,0.99,0.998,8,16\n"
    "8,adjacent,1000,0.99,0.98,0.995,8,16\n"
    "64,adjacent,1000,0.7,0.67,0.73,8,16\n";

const char* const kLearned =
    "length,negatives,count,accuracy,low,high,trained_from,trained_to\n"
    "8,swaps,1000,1,0.996,1,8,16\n"
    "16,swaps,1000,0.998,0.993,1,8,16\n"
    "64,swaps,1000,0.52,0.49,0.55,8,16\n"
    "8,adjacent,1000,0.98,0.97,0.99,8,16\n"
    "64,adjacent,1000,0.5,,,8,16\n";

// Two models and two tasks; one epoch was not measured.
const char* const kLosses =
    "epoch,loss,low,high,model,task\n"
    "1,2.5,2.25,2.75,small,copy\n"
    "2,,,,small,copy\n"
    "4,0.5,0.25,0.75,small,copy\n"
    "8,0.25,0.125,0.375,small,copy\n"
    "1,2,1.75,2.25,large,copy\n"
    "2,0.5,0.25,0.75,large,copy\n"
    "4,0.0625,0.03125,0.125,large,copy\n"
    "1,4,3.5,4.5,small,sort\n"
    "8,1,,,small,sort\n";

const char* const kSizes =
    "encoding,near,far\n"
    "rope,0.75,0.5\n"
    "alibi,1,0.875\n"
    "none,0.25,\n";

const char* const kTimes =
    "stage,seconds,low,high\n"
    "load,4,3.5,4.5\n"
    "train,12.5,11,14\n"
    "score,-1,,\n";

const char* const kGrid =
    "depth,width,accuracy\n"
    "2,wide,0.75\n"
    "2,narrow,0.5\n"
    "10,wide,1\n"
    "10,narrow,\n"
    "4,wide,0.875\n";

// Trial 5 failed, and one configuration was not tried.
const char* const kSweep =
    "model.n_heads,model.positions,seed,trial,evaluate.greedy\n"
    "1,rope,1,1,0.9\n"
    "1,rope,2,2,0.92\n"
    "2,rope,1,3,0.95\n"
    "2,rope,2,4,0.96\n"
    "4,rope,1,5,\n"
    "1,none,1,6,0.7\n"
    "1,none,2,7,0.74\n"
    "4,none,1,8,0.8\n"
    "4,none,2,9,0.81\n";

}  // namespace

FigureSource csv(const std::string& name, const std::string& text) {
  return {name, name.empty() ? "table.csv" : name + ".csv", text};
}

FigureSource tensors(const TensorFile& file) {
  return {"", "maps.safetensors", to_safetensors(file)};
}

FigureSource tensors(const std::string& name, const TensorFile& file) {
  return {name, name + ".safetensors", to_safetensors(file)};
}

TensorFile learned_encoding() {
  const std::vector<float> positions = {0.5,  -0.25, 1,    0.125, 0, -1,
                                        -0.5, 0.75,  0.25, 0.5,   0, 0.25};
  std::vector<float> gram;
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t s = 0; s < 4; ++s) {
      float sum = 0;
      for (std::size_t d = 0; d < 3; ++d) sum += positions[3 * t + d] * positions[3 * s + d];
      gram.push_back(sum);
    }
  }
  TensorFile file;
  file.arrays["positions"] = Array::of({4, 3}, positions);
  file.arrays["gram"] = Array::of({4, 4}, gram);
  file.metadata = {{"encoding", "learned"}, {"trained", "2"}, {"gram", "P_t · P_s"}};
  return file;
}

TensorFile bias_encoding() {
  const std::vector<float> factors = {1,    0.5, 0.25, 0.125, 0.5,   1,    0.5, 0.25,
                                      0.25, 0.5, 1,    0.5,   0.125, 0.25, 0.5, 1};
  TensorFile file;
  file.arrays["gram"] = Array::of({4, 4}, factors);
  file.metadata = {{"encoding", "alibi"}, {"trained", "2"}, {"gram", "factor on weights"}};
  return file;
}

TensorFile attention_maps() {
  const std::vector<float> encoder = {1, 0, 0.5, 0.5, 0.25, 0.75, 0, 1,  // problem 0, heads 0 and 1
                                      1, 0, 1,   0,   1,    0,    1, 0};  // problem 1
  const std::vector<float> cross = {0.5, 0.5, 1, 0, 0.125, 0.875, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const std::vector<std::int32_t> inputs = {3, 10, 4, 11}, fed = {12, 7, 12, 4},
                                  predicted = {7, 13, 4, 2}, lengths = {2, 1};
  TensorFile file;
  file.arrays["encoder.0.self"] = Array::of({2, 2, 2, 2}, encoder);
  file.arrays["decoder.0.self"] = Array::of({2, 2, 2, 2}, encoder);
  file.arrays["decoder.0.cross"] = Array::of({2, 2, 2, 2}, cross);
  file.arrays["inputs"] = Array::of({2, 2}, inputs);
  file.arrays["decoder_inputs"] = Array::of({2, 2}, fed);
  file.arrays["targets"] = Array::of({2, 2}, predicted);
  file.arrays["predictions"] = Array::of({2, 2}, predicted);
  file.arrays["input_lengths"] = Array::of({2}, lengths);
  file.metadata["problems"] = R"(["3+=7", "4=42"])";
  file.metadata["answers"] = R"(["7", "42"])";
  file.metadata["tokens"] = R"(["0","1","2","3","4","5","6","7","8","9","+","pad","bos","end"])";
  return file;
}

std::vector<FigureSource> example_of(const std::string& kind) {
  if (kind == "training-curves") return {csv("", kTraining)};
  if (kind == "attention") return {tensors(attention_maps())};
  if (kind == "head-importance") return {csv("zero", kZero), csv("mean", kMean)};
  if (kind == "head-statistics") return {csv("", kStatistics)};
  if (kind == "pruning-curve") return {csv("", kPruning)};
  if (kind == "group-accuracy") return {csv("", kGroups)};
  if (kind == "role-attention") return {csv("", kRoles)};
  if (kind == "training-summary") {
    return {csv("alibi", kClassifierLog), {"alibi", "alibi-timing.csv", kTiming}};
  }
  if (kind == "extrapolation") return {csv("alibi-mean", kAlibi), csv("learned-mean", kLearned)};
  if (kind == "position-heatmap") return {tensors("learned", learned_encoding())};
  if (kind == "encoding-comparison") {
    return {tensors("learned", learned_encoding()), tensors("alibi", bias_encoding())};
  }
  if (kind == "lines") return {csv("", kLosses)};
  if (kind == "points") return {csv("", kSizes)};
  if (kind == "bars") return {csv("laptop", kTimes), csv("server", kTimes)};
  if (kind == "heatmap") return {csv("", kGrid)};
  if (is_of_sweep(kind)) return {csv("", kSweep)};
  throw Error("no example of kind " + kind);
}

bool is_of_sweep(const std::string& kind) {
  return kind == "sweep-lines" || kind == "sweep-heatmap" || kind == "parallel-coordinates";
}

FigureOptions example_options(const std::string& kind) {
  FigureOptions options;
  if (kind == "sweep-lines") options.x = "model.n_heads";
  if (kind == "lines") {
    options.x = "epoch";
    options.y = {"loss"};
    options.low = {"low"};
    options.high = {"high"};
    options.series = "model";
    options.panels = "task";
    options.log = {"x", "y"};
  }
  if (kind == "points") {
    options.x = "encoding";
    options.y = {"near", "far"};
    options.y_label = "accuracy";
  }
  if (kind == "bars") {
    options.x = "stage";
    options.y = {"seconds"};
    options.low = {"low"};
    options.high = {"high"};
  }
  if (kind == "heatmap") {
    options.x = "depth";
    options.rows = "width";
    options.metric = "accuracy";
  }
  return options;
}

Json example_params(const std::string& kind) {
  const FigureOptions options = example_options(kind);
  Json params = {{"kind", kind}};
  for (const auto& [name, text] : {std::pair("x", options.x),
                                   {"rows", options.rows},
                                   {"metric", options.metric},
                                   {"series", options.series},
                                   {"panels", options.panels},
                                   {"y_label", options.y_label}}) {
    if (!text.empty()) params[name] = text;
  }
  for (const auto& [name, texts] : {std::pair("y", options.y),
                                    {"low", options.low},
                                    {"high", options.high},
                                    {"log", options.log}}) {
    if (!texts.empty()) params[name] = texts;
  }
  return params;
}

Figure example_figure(const std::string& kind) {
  return figure_of(kind, example_of(kind), example_options(kind));
}

Figure figure_of(const std::string& kind, const std::vector<FigureSource>& sources,
                 const FigureOptions& options) {
  static const FigureKinds kKinds = all_figure_kinds();
  const FigureKind* found = find_kind(kKinds, kind);
  if (!found) throw Error("no kind " + kind);
  return make_figure(*found, sources, options);
}

std::string mistake(const std::string& kind, const std::vector<FigureSource>& sources,
                    const FigureOptions& options) {
  try {
    figure_of(kind, sources, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Drawing draw(const Figure& figure) {
  return draw_with_gnuplot(figure, std::filesystem::temp_directory_path());
}

std::string title_of(const Figure& figure) {
  const std::string before = "set multiplot title '";
  const std::size_t begin = figure.script.find(before) + before.size();
  return figure.script.substr(begin, figure.script.find("' font", begin) - begin);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace headway::testing
