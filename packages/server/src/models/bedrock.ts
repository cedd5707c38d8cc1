import { createHash } from "node:crypto";
import type { ModelCall } from "./chat-model.ts";
import { formatCall } from "./format-prompt.ts";
import { withEditedBody, withFiles } from "./model-fetch.ts";
import { anthropicPrompt } from "./prompt-formats.ts";
import type { Connection, Provider } from "./provider.ts";

/** Amazon Bedrock, through its Converse API, whose streams are binary. */
export const bedrock: Provider = {
  label: "Amazon Bedrock",
  defaultModel: null,
  prefix: null,
  baseUrl: ({ region }) => `https://bedrock-runtime.${region}.amazonaws.com`,
  defaultPath: "",
  async connect(connection, modelId) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    const { apiKey, baseUrl, server } = connection;
    const send = connection.outbound.fetch(connection);
    const sign = await createSigner(connection);
    return {
      provider: "bedrock",
      modelId,
      doStream({ editBody, onActivity, files, ...call }) {
        const fetch: typeof globalThis.fetch = async (input, init) => {
          // The signature covers the body, so the body is edited first.
          const edited = editBody ? withEditedBody(init, editBody) : init;
          const response = await send(input, withFiles(await sign(String(input), edited, files), files));
          return onActivity ? observe(response, onActivity) : response;
        };
        // The package signs before it calls `fetch`. With any API key it does not, and `sign` replaces the header.
        const options = { region: server.region ?? "", baseURL: baseUrl, apiKey: apiKey ?? "signed", fetch };
        // The package's types know fewer values of `reasoning`, which Foyer sets in the body.
        const { reasoning: _, ...request } = formatCall(call, anthropicPrompt);
        return createAmazonBedrock(options)(modelId).doStream(request);
      },
    };
  },
  // Only another host lists the models.
  models: null,
  embeddings: null,
};

type Sign = (url: string, init: RequestInit | undefined, files: ModelCall["files"]) => Promise<RequestInit | undefined>;

/** Creates the function that signs a request by AWS Signature Version 4, unless there is an API key. */
async function createSigner({ apiKey, server }: Connection): Promise<Sign> {
  if (apiKey !== null) return async (_, init) => init;
  const { AwsV4Signer } = await import("aws4fetch");
  const { region = "", accessKeyId = "", secretAccessKey = "" } = server;
  return async (url, init, files) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    const body = typeof init?.body === "string" ? init.body : "";
    if (files) {
      const hash = createHash("sha256");
      for await (const piece of files.readPieces(body)) hash.update(piece);
      headers.set("x-amz-content-sha256", hash.digest("hex"));
    }
    const signer = new AwsV4Signer({
      method: "POST",
      url,
      headers,
      body,
      region,
      service: "bedrock",
      accessKeyId,
      secretAccessKey,
    });
    const signed = await signer.sign();
    return { ...init, headers: Object.fromEntries(signed.headers) };
  };
}

/** The response, whose bytes are reported as they arrive. */
function observe(response: Response, onActivity: () => void): Response {
  const { status, headers } = response;
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onActivity();
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(passing), { status, headers });
}
