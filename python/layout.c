/* Prints a Python module with the offsets of the struct fields that the package
 * reads and writes. The C compiler computes the offsets, so that a new version
 * of a struct needs no second description. */
#include "runtime/tenon_generate.h"
#include "runtime/tenon_transcribe.h"

#include <stdio.h>

#define CODE_OF(member)                                                        \
  _Generic((member),                                                           \
      const char *: "s",                                                       \
      int32_t: "i",                                                            \
      uint32_t: "I",                                                           \
      int64_t: "q",                                                            \
      uint64_t: "Q",                                                           \
      float: "f",                                                              \
      double: "d",                                                             \
      default: "p")
#define STRUCT(type)                                                           \
  typedef type current;                                                        \
  printf("%s = (%zu, {\n", #type, sizeof(current))
#define FIELD_AS(name, member)                                                 \
  printf("    \"%s\": (%zu, \"%s\"),\n", name, offsetof(current, member),      \
         CODE_OF(((current *)0)->member))
#define FIELD(member) FIELD_AS(#member, member)
#define END puts("})")

int main(void) {
  puts("\"\"\"Where the fields of the C API's structs lie; made by "
       "layout.c.\"\"\"");
  printf("ABI_VERSION = %u\n", TENON_ABI_VERSION);
  printf("OPTIONAL = %d\nRANGE = %d\n", TENON_INPUT_OPTIONAL,
         TENON_INPUT_RANGE);
  printf("ON_HOST = %d\nON_DEVICE = %d\n", TENON_ON_HOST, TENON_ON_DEVICE);
  puts("DTYPES = {");
  for (int32_t dtype = TENON_F32; dtype <= TENON_BOOL; ++dtype)
    printf("    %d: \"%s\",\n", dtype, tenon_dtype_name(dtype));
  puts("}");
  {
    STRUCT(tenon_model_desc);
    FIELD(name);
    FIELD(source);
    FIELD(compiler);
    FIELD(target);
    FIELD(num_functions);
    FIELD(functions);
    FIELD(num_extents);
    FIELD(extents);
    END;
  }
  {
    STRUCT(tenon_function_desc);
    FIELD(name);
    FIELD(num_inputs);
    FIELD(num_outputs);
    FIELD(inputs);
    FIELD(outputs);
    END;
  }
  {
    STRUCT(tenon_tensor_desc);
    FIELD(name);
    FIELD(dtype);
    FIELD(rank);
    FIELD(dims);
    FIELD(bounded);
    FIELD(flags);
    FIELD(default_dims);
    FIELD(default_data);
    FIELD(default_bytes);
    FIELD_AS("least", least.integer);
    FIELD_AS("greatest", greatest.integer);
    END;
  }
  {
    STRUCT(tenon_dim_desc);
    FIELD(size);
    FIELD(min);
    FIELD(max);
    FIELD(multiple);
    FIELD(name);
    END;
  }
  {
    STRUCT(tenon_model_info);
    FIELD(struct_size);
    FIELD(version);
    FIELD(device);
    END;
  }
  {
    STRUCT(tenon_open_options);
    FIELD(struct_size);
    FIELD(error_text);
    FIELD(error_text_bytes);
    FIELD(threads);
    FIELD(weights_mode);
    FIELD(weights_path);
    FIELD(verify_weights);
    FIELD(device);
    END;
  }
  {
    STRUCT(tenon_context_options);
    FIELD(struct_size);
    FIELD(error_text);
    FIELD(error_text_bytes);
    FIELD(memory_limit);
    FIELD(timeout_ns);
    FIELD(extents);
    FIELD(num_extents);
    END;
  }
  {
    STRUCT(tenon_extent);
    FIELD(name);
    FIELD(size);
    END;
  }
  {
    STRUCT(tenon_extent_desc);
    FIELD(name);
    FIELD(least);
    FIELD(most);
    FIELD(initial);
    END;
  }
  {
    STRUCT(tenon_tensor);
    FIELD(struct_size);
    FIELD(name);
    FIELD(dtype);
    FIELD(rank);
    FIELD(dims);
    FIELD(data);
    FIELD(bytes);
    FIELD(device);
    END;
  }
  {
    STRUCT(tenon_generator_options);
    FIELD(struct_size);
    FIELD(error_text);
    FIELD(error_text_bytes);
    FIELD(memory_limit);
    FIELD(rows);
    FIELD(positions);
    END;
  }
  {
    STRUCT(tenon_prompt);
    FIELD(ids);
    FIELD(count);
    END;
  }
  {
    STRUCT(tenon_generation);
    FIELD(struct_size);
    FIELD(prompts);
    FIELD(num_prompts);
    FIELD(on_token);
    FIELD(timeout_ns);
    FIELD(allow);
    FIELD(decoder_prompts);
    END;
  }
  {
    STRUCT(tenon_sequence);
    FIELD(ids);
    FIELD(count);
    FIELD(score);
    FIELD(reason);
    END;
  }
  {
    STRUCT(tenon_transcriber_options);
    FIELD(struct_size);
    FIELD(error_text);
    FIELD(error_text_bytes);
    FIELD(memory_limit);
    END;
  }
  {
    STRUCT(tenon_transcription);
    FIELD(struct_size);
    FIELD(read);
    FIELD(on_segment);
    FIELD(language);
    FIELD(task);
    FIELD(timestamps);
    FIELD(prompt_ids);
    FIELD(num_prompt_ids);
    FIELD(condition_on_prev_tokens);
    FIELD(prompt_condition);
    FIELD(temperatures);
    FIELD(num_temperatures);
    FIELD(compression_ratio_threshold);
    FIELD(logprob_threshold);
    FIELD(no_speech_threshold);
    FIELD(timeout_ns);
    END;
  }
  {
    STRUCT(tenon_segment);
    FIELD(start);
    FIELD(end);
    FIELD(ids);
    FIELD(count);
    FIELD(seek);
    FIELD(temperature);
    FIELD(mean_logprob);
    FIELD(compression_ratio);
    FIELD(no_speech);
    END;
  }
  {
    STRUCT(tenon_speech_ids);
    FIELD(struct_size);
    FIELD(end);
    FIELD(first_timestamp);
    FIELD(previous_text);
    END;
  }
  return 0;
}
