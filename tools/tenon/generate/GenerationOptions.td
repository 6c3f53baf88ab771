// The flags of generation options. A flag's name is its option's, with '-' for
// '_': the model's tables have its type, its range and its default.
multiclass Setting<string name, string meta, string help, list<OptionVisibility> verbs = Texts> {
  defm NAME : Eq<"--", name, verbs, grp_generation, meta, help>;
}
// A bool: `--name`, `--name=false`.
multiclass Switch<string name, string help, list<OptionVisibility> verbs = Texts> {
  def NAME : On<"--", name, verbs, grp_generation, help>;
  def NAME#_is : Joined<["--"], name#"=">, Visibility<verbs>, Group<grp_generation>,
                 MetaVarName<"BOOL">, Flags<[HelpHidden]>;
}

defm max_new_tokens : Setting<"max-new-tokens", "N", "The most new tokens of each sequence">;
def n : JoinedOrSeparate<["-"], "n">, Visibility<[GenerateVerb]>, Group<grp_generation>,
  Alias<max_new_tokens>, MetaVarName<"N">, HelpText<"Short for --max-new-tokens">;
def max_tokens : Joined<["--"], "max-tokens=">, Visibility<[GenerateVerb]>, Group<grp_generation>,
  Alias<max_new_tokens>, Flags<[HelpHidden]>;
defm max_length : Setting<"max-length", "N", "The most tokens of prompt and text together; --max-new-tokens beats it">;
defm min_length : Setting<"min-length", "N", "No end before this many tokens of prompt and text">;
defm min_new_tokens : Setting<"min-new-tokens", "N", "No end before this many new tokens">;
defm do_sample : Switch<"do-sample", "Draw tokens by their probabilities; by default the best is taken", [GenerateVerb]>;
defm temperature : Setting<"temperature", "X", "Of sampling: below 1 prefers likely tokens, above 1 unlikely ones", [GenerateVerb]>;
defm top_k : Setting<"top-k", "N", "Sample from the N likeliest tokens; 0: from all">;
defm top_p : Setting<"top-p", "X", "Sample from the likeliest tokens whose probabilities add up to X">;
defm min_p : Setting<"min-p", "X", "Sample from tokens at least X times as likely as the likeliest">;
defm typical_p : Setting<"typical-p", "X", "Sample from the most typical tokens whose probabilities add up to X">;
defm epsilon_cutoff : Setting<"epsilon-cutoff", "X", "Sample from tokens of at least this probability">;
defm eta_cutoff : Setting<"eta-cutoff", "X", "As --epsilon-cutoff, lower where the choice is open">;
defm penalty_alpha : Setting<"penalty-alpha", "X", "Contrastive search among --top-k tokens: 0 is off, near 1 a token must be unlike all before it", [GenerateVerb]>;
defm seed : Setting<"seed", "N", "The draws of sampling; equal seeds give equal texts">;
defm num_beams : Setting<"num-beams", "N", "Search with N beams">;
defm num_return_sequences : Setting<"num-return-sequences", "N", "How many texts each prompt gets", [GenerateVerb]>;
defm length_penalty : Setting<"length-penalty", "X", "Of beams: above 0 favours long texts">;
defm early_stopping : Setting<"early-stopping", "WHEN", "When the search with beams ends: false, true or never">;
defm repetition_penalty : Setting<"repetition-penalty", "X", "Above 1: tokens that are there already become less likely">;
def repeat_penalty : Joined<["--"], "repeat-penalty=">, Visibility<[GenerateVerb]>, Group<grp_generation>,
  Alias<repetition_penalty>, Flags<[HelpHidden]>;
defm encoder_repetition_penalty : Setting<"encoder-repetition-penalty", "X", "Above 1: tokens of the prompt become likelier", [GenerateVerb]>;
defm no_repeat_ngram_size : Setting<"no-repeat-ngram-size", "N", "No N tokens in a row come twice">;
defm encoder_no_repeat_ngram_size : Setting<"encoder-no-repeat-ngram-size", "N", "No N tokens in a row come from the prompt", [GenerateVerb]>;
defm eos_token_id : Setting<"eos-token-id", "ID,..", "The tokens that end a text">;
defm pad_token_id : Setting<"pad-token-id", "ID", "The token before shorter prompts and after shorter texts">;
defm suppress_tokens : Setting<"suppress-tokens", "ID,..", "Tokens that never come">;
defm begin_suppress_tokens : Setting<"begin-suppress-tokens", "ID,..", "Tokens that do not come first">;
defm decoder_start_token_id : Setting<"decoder-start-token-id", "ID", "Of models with an encoder: the token that texts begin after", [GenerateVerb]>;
defm forced_bos_token_id : Setting<"forced-bos-token-id", "ID", "The token after a prompt of one token">;
defm forced_eos_token_id : Setting<"forced-eos-token-id", "ID,..", "The tokens at the greatest length">;
defm bad_words_ids : Setting<"bad-words-ids", "ID,..;..", "Sequences of tokens that do not come: 5;7,8">;
defm exponential_decay_start : Setting<"exponential-decay-start", "N", "After N new tokens the end becomes likelier">;
defm exponential_decay_factor : Setting<"exponential-decay-factor", "X", "How fast: the power is the number of tokens since">;
defm renormalize_logits : Switch<"renormalize-logits", "Make the scores log-probabilities again after all changes">;
defm remove_invalid_values : Switch<"remove-invalid-values", "Replace NaN and infinite scores of the model">;
defm option : Setting<"option", "NAME=VALUE", "Set any option of the model by its name; 'tenon inspect' lists the inputs of start">;
defm stop : Eq<"--", "stop", [GenerateVerb], grp_input, "TEXT", "End a text before this string; repeatable">;
