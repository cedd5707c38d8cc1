import swagger from "@fastify/swagger";
import * as contract from "@foyer/contract";
import type { FastifyInstance, FastifySchema } from "fastify";

const codes = Object.entries(contract.errorStatus).map(([code, status]) => `\`${code}\` ${status}`);

const description = `Every error is \`{ "data": null, "error": { code, message, details? } }\`. Codes: ${codes.join(", ")}.`;

/** Registers before the routes, so that it sees them all. */
export async function useOpenApi(app: FastifyInstance, baseUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Foyer", version: "0.1.0", description },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          apiKey: { type: "http", scheme: "bearer", description: "An API key of the account" },
          session: { type: "apiKey", in: "cookie", name: "foyer_session", description: "Set by signing in" },
          conversationToken: { type: "http", scheme: "bearer", description: "`conversationToken` of `message_start`" },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...describe(schema, route.config?.access),
        operationId: operationIds.get(`${route.method} ${url}`) ?? "",
        ...(route.config?.idempotent ? { headers: retryHeader } : {}),
      },
      url,
    }),
  });
}

/** `/openapi.json`; the pages under /docs render it. */
export async function openApiRoutes(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook("onRoute", (route) => {
      route.config = { ...route.config, access: "public" };
    });
    docs.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
  });
}

/** The name of each operation is the name of its endpoint in the contract, which the SDK uses as well. */
const operationIds = new Map(
  Object.entries(contract).flatMap(([name, value]) =>
    typeof value === "object" && "method" in value && "url" in value ? [[`${value.method} ${value.url}`, name]] : [],
  ),
);

const retryHeader = {
  type: "object",
  properties: {
    "Idempotency-Key": {
      ...{ type: "string", minLength: 1, maxLength: 255 },
      description: "For 24 hours the same request with the same key gets the first one's answer and makes nothing new",
    },
  },
};

/** Adds what is the same for all: who may call, and what an error looks like. */
function describe(schema: FastifySchema | undefined, access = "account"): FastifySchema {
  if (!schema || schema.hide) return { ...schema, hide: true };
  const account = [{ apiKey: [] }, { session: [] }];
  const signedIn = [{ session: [] }];
  const security = {
    ...{ public: [], account, conversation: [...account, { conversationToken: [] }] },
    // The empty requirement says that credentials are optional.
    visitor: [{}, { conversationToken: [] }, ...account],
    ...{ session: signedIn, user: signedIn },
  };
  const failure = { description: "What was wrong", ...contract.ref(contract.ErrorBody) };
  return {
    ...schema,
    security: security[access as keyof typeof security],
    response: { ...(schema.response as object), "4xx": failure, "5xx": failure },
  };
}
