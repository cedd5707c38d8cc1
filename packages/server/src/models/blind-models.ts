/**
 * Models that cannot see pictures, by the beginning of their name without its publisher. A model that is missing here
 * costs one refused request a day, and a model that is listed by mistake never sees a picture, so only models whose
 * publishers say so are listed.
 */
const blind = [
  // OpenAI
  /^gpt-3\.5/,
  /^gpt-4(?:-0314|-0613|-32k.*)?$/,
  /^(?:o1-mini|o1-preview|o3-mini)/,
  /^gpt-oss/,
  /^(?:davinci|babbage)/,
  // Anthropic
  /^claude-(?:v?2|instant)/,
  // Mistral
  /^(?:open-)?mi(?:s|x)tral-(?:7b|8x7b|8x22b|nemo)/,
  /^(?:codestral|mathstral|mistral-nemo|mistral$|mistral:)/,
  /^ministral-(?:3b|8b)-2410/,
  // Meta
  /^(?:meta-)?llama-?(?:2|3|3\.1|3\.3)(?:[-:](?!2-)|$)/,
  /^(?:meta-)?llama-?3\.2(?::|-)(?:1b|3b)/,
  /^(?:codellama|tinyllama)/,
  // Google
  /^(?:gemma(?::|-2b|-7b|-1\.1|$)|gemma-?2(?:[-:]|$)|codegemma)/,
  /^gemma-?3(?::|-)(?:270m|1b)/,
  // Alibaba, without the models for pictures (VL, Omni) and the series since 3.5
  /^(?:qwen|qwen2|qwen2\.5|qwen-2\.5|qwen3|qwq)(?:-coder|-math|-next)?(?::|-\d|-instruct|-thinking|$)/,
  // DeepSeek
  /^deepseek-(?:chat|reasoner|coder|llm|r1|v2|v2\.5|v3|v3\.1|v3\.2)(?:[-:]|$)/,
  // Microsoft
  /^phi-?(?:2|3|3\.5|4)(?:-mini|-medium|-small|-reasoning)?(?:[-:](?!vision|multimodal)|$)/,
  // Others
  /^kimi-k2(?:-instruct|-thinking|-0711|-0905|-turbo|:|$)/,
  /^glm-4(?:\.5|\.6)?(?:-air|-flash|-plus|:|$)/,
  /^command-(?:r|r-plus|r7b|light|a-03-2025)(?:[-:]|$)/,
  /^(?:minimax-m[12]|granite-?[34](?!.*vision)|starcoder|falcon|olmo-?2|smollm2?(?:[-:]|$)|jamba|nous-hermes|vicuna|zephyr|solar|yi(?:[-:]|$))/,
  /^grok-(?:2|3)(?:-mini|-fast|-\d{4}|$)/,
  /^(?:titan-text|nova-micro)/,
];

/** Whether it is known that the model cannot see pictures. Names are as the provider or the server lists them. */
export function isKnownBlind(provider: string, modelId: string): boolean {
  if (provider === "foyer") return true;
  const name = modelId.toLowerCase();
  // Gateways and Bedrock put publishers and regions before the name: `meta-llama/llama-3.1-8b`, `eu.amazon.nova-micro-v1:0`.
  const plain = name
    .slice(name.lastIndexOf("/") + 1)
    .replace(/^(?:[a-z]{2,6}\.)?(?:amazon|anthropic|meta|mistral|cohere|deepseek|qwen|openai|ai21)\./, "");
  return blind.some((pattern) => pattern.test(plain));
}
