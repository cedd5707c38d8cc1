import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import type { AgentService } from "../agents/service.ts";
import { requirePrincipal, requireSignedIn } from "../auth/sessions/authenticate.ts";
import { createReplyFailures } from "../conversations/reply-failures.ts";
import type { Deps } from "../deps.ts";
import type { EmbeddingService } from "../documents/embeddings/service.ts";
import type { App } from "../http/app.ts";
import { type EventReader, sendEvents } from "../http/sse.ts";
import type { NoticeService } from "../inbox/notices/service.ts";
import {
  checkDeliveries,
  checkEmbeddings,
  checkEncryption,
  checkModel,
  checkNotifications,
  checkOrigins,
  checkReplies,
} from "./account-checks.ts";
import { type Arrival, checkAddress, checkClientIp, checkHttps } from "./request-checks.ts";
import { checkDatabase, checkDisk, checkMail, checkSecret } from "./server-checks.ts";
import { createDoctorStore } from "./store.ts";

const TICKS = 5;
const TICK_MS = 200;

type DoctorParts = {
  agents: Pick<AgentService, "refusedOrigins">;
  embeddings: Pick<EmbeddingService, "status">;
  notices: Pick<NoticeService, "reach">;
};

/** Endpoints that find configuration problems. */
export function doctorRoutes(app: App, deps: Deps, parts: DoctorParts): void {
  const { agents } = parts;
  const { config } = deps;
  const store = createDoctorStore(deps);
  const failures = createReplyFailures(deps);

  async function checkAccount(organizationId: string): Promise<contract.Check[]> {
    const own = await store.agents(organizationId);
    return [
      await checkModel(deps, organizationId, own),
      checkReplies(await failures.lately(organizationId)),
      checkEmbeddings(await parts.embeddings.status(organizationId, null), own),
      await checkDeliveries(store, organizationId),
      checkNotifications(await parts.notices.reach(organizationId), own),
      checkOrigins(agents, own),
      checkEncryption(deps, own),
    ];
  }

  async function checkServer(arrival: Arrival): Promise<contract.Check[]> {
    return [
      await checkMail(deps),
      checkAddress(config, arrival),
      checkHttps(config),
      checkClientIp(config, arrival),
      checkSecret(deps),
      await checkDatabase(deps, store),
      await checkDisk(deps),
    ];
  }

  app.route({
    ...contract.getDoctor,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      // With open sign-up, anyone can own an organization, so only the operator's organization sees the checks of the
      // server.
      const { email } = requireSignedIn(request).user;
      const isOperator = email === config.admin?.email || (await store.isFirst(organizationId));
      const checks = await checkAccount(organizationId);
      if (isOperator) checks.push(...(await checkServer(readArrival(request))));
      reply.header("cache-control", "no-store");
      return { checks };
    },
  });
  app.route({
    ...contract.streamDoctor,
    handler: async (_, reply) => sendEvents(reply, config.heartbeat, tick),
  });
}

function readArrival(request: FastifyRequest): Arrival {
  const { protocol, host, ip, headers, socket } = request;
  const socketIp = socket.remoteAddress ?? "";
  return {
    protocol,
    host,
    origin: headers.origin,
    ip,
    socketIp,
    isForwarded: headers["x-forwarded-for"] !== undefined,
  };
}

function tick(reader: EventReader): () => void {
  let number = 0;
  const send = () => {
    number++;
    const event: contract.DoctorTick = { type: "tick", number, at: Date.now() };
    reader.write(`event: tick\ndata: ${JSON.stringify(event)}\n\n`);
    if (number < TICKS) return;
    clearInterval(timer);
    reader.end();
  };
  const timer = setInterval(send, TICK_MS);
  send();
  return () => clearInterval(timer);
}
