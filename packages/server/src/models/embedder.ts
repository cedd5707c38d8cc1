import { OutboundError } from "../outbound/outbound-error.ts";
import { EmbeddingError } from "./embedding-error.ts";
import type { EmbeddingFormat, EmbeddingPurpose } from "./embedding-formats.ts";
import type { Connection } from "./provider.ts";
import { redact } from "./provider-failure.ts";
import { findProviderMessage } from "./provider-message.ts";

/** The maximum number of dimensions, which the largest common models have. */
const MAX_DIMENSIONS = 4_096;
/** The maximum size of a response. Sixteen vectors of 4,096 components with 25 characters each have less than 2 MB. */
const MAX_BYTES = 4_000_000;
/** The common rule of thumb for English, for providers that do not report token counts. */
const CHARACTERS_PER_TOKEN = 4;

type EmbeddingRequest = {
  /** at most 16, so that parsing the response blocks the event loop for only a few milliseconds */
  texts: readonly string[];
  purpose: EmbeddingPurpose;
  /** for the whole exchange */
  timeoutMs: number;
  signal?: AbortSignal;
};

export type Embedder = {
  /** @returns one vector for each text, all of the same length, and the tokens used. @throws EmbeddingError */
  embed(request: EmbeddingRequest): Promise<{ vectors: number[][]; tokens: number }>;
  /** true when the call uses the operator's key from the environment instead of the organization's own key */
  isOperatorPaid: boolean;
};

type EmbedderOptions = { connection: Connection; format: EmbeddingFormat; name: string; isOperatorPaid: boolean };

/** An embedding model of one organization. */
export function createEmbedder({ connection, format, name, isOperatorPaid }: EmbedderOptions): Embedder {
  const { apiKey, baseUrl, trust, organizationId, outbound } = connection;

  async function send({ texts, purpose, timeoutMs, signal }: EmbeddingRequest) {
    try {
      return await outbound.request({
        url: baseUrl + format.path(name),
        method: "POST",
        headers: { ...(apiKey ? format.headers(apiKey) : {}), "content-type": "application/json" },
        body: JSON.stringify(format.body(name, texts, purpose)),
        trust,
        organizationId,
        timeoutMs,
        maxBytes: MAX_BYTES,
        signal,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new EmbeddingError(`${error.publicMessage}.`, null, { cause: error });
    }
  }

  return {
    isOperatorPaid,
    async embed(request) {
      const { status, body, truncated } = await send(request);
      const answer = truncated ? null : parse(body);
      if (status !== 200) {
        const said =
          typeof answer === "object" && answer !== null ? redact(findProviderMessage(answer), connection) : "";
        throw new EmbeddingError(`HTTP ${status}${said ? `: ${said}` : "."}`, status);
      }
      if (typeof answer !== "object" || answer === null) {
        throw new EmbeddingError("The provider's answer is not JSON, or it is too large.", null);
      }
      const { vectors, tokens } = format.read(answer);
      checkVectors(vectors, request.texts.length);
      return { vectors, tokens: validCount(tokens) ?? estimate(request.texts) };
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

function checkVectors(vectors: unknown[], expected: number): asserts vectors is number[][] {
  if (vectors.length !== expected) {
    throw new EmbeddingError(`The provider returned ${vectors.length} vectors for ${expected} texts.`, null);
  }
  const [first] = vectors;
  const dimensions = Array.isArray(first) ? first.length : 0;
  for (const vector of vectors) {
    if (!Array.isArray(vector) || !vector.every(Number.isFinite) || !vector.some((component) => component !== 0)) {
      throw new EmbeddingError("The provider's answer contains no usable vectors.", null);
    }
    if (vector.length !== dimensions) {
      throw new EmbeddingError("The provider returned vectors of different lengths.", null);
    }
  }
  if (dimensions < 2 || dimensions > MAX_DIMENSIONS) {
    const limit = MAX_DIMENSIONS.toLocaleString("en-US");
    throw new EmbeddingError(
      `The model's vectors have ${dimensions} dimensions. At most ${limit} are supported.`,
      null,
    );
  }
}

function validCount(tokens: unknown): number | undefined {
  return typeof tokens === "number" && Number.isInteger(tokens) && tokens > 0 && tokens < 10_000_000
    ? tokens
    : undefined;
}

const estimate = (texts: readonly string[]) =>
  Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS_PER_TOKEN);
