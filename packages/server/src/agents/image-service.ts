import { createHash } from "node:crypto";
import type { Agent, AgentImageKind } from "@foyer/contract";
import { MAX_AGENT_IMAGE_BYTES } from "@foyer/contract/rules/agent-image";
import { parseDataUrl } from "@foyer/contract/rules/data-url";
import type { Deps } from "../deps.ts";
import { invalid, notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import type { Drafts, Editor } from "./editor.ts";
import { type AgentImage, createAgentImageStore } from "./image-store.ts";
import type { AgentService } from "./service.ts";

type Target = { organizationId: string; agentId: string; kind: AgentImageKind };

export type AgentImageService = ReturnType<typeof createAgentImageService>;

export function createAgentImageService(
  { db }: Pick<Deps, "db">,
  { agents, drafts }: { agents: Pick<AgentService, "get">; drafts: Drafts },
) {
  const store = createAgentImageStore(db);
  return {
    /** For every visitor: the current image, or that of the draft if its version is asked for. @throws 404 */
    async get(agentId: string, kind: AgentImageKind, version: string | undefined): Promise<AgentImage> {
      const image = isId("agent", agentId) ? await store.get(agentId, kind, version) : undefined;
      if (!image) throw notFound("Image");
      return image;
    },
    async put(target: Target, { dataUrl, editor }: { dataUrl: string; editor: Editor }): Promise<Agent> {
      const image = readImage(dataUrl);
      if (!isId("agent", target.agentId)) throw notFound("Agent");
      await drafts.edit({ ...target, editor }, (trx) => store.put(trx, target, image));
      return agents.get(target.organizationId, target.agentId);
    },
    async delete(target: Target, editor: Editor): Promise<Agent> {
      if (!isId("agent", target.agentId)) throw notFound("Agent");
      await drafts.edit({ ...target, editor }, (trx) => store.remove(trx, target));
      return agents.get(target.organizationId, target.agentId);
    },
  };
}

/** The type is read from the content, because the declared type of a data URL can be anything. */
function readImage(dataUrl: string): AgentImage {
  const parsed = parseDataUrl(dataUrl);
  if (!parsed) throw invalid("image", "must be a base64 data URL such as data:image/png;base64,…", "format");
  if (parsed.size > MAX_AGENT_IMAGE_BYTES) throw invalid("image", "must be at most 256 KiB", "max");
  const content = Buffer.from(parsed.base64, "base64");
  const mediaType = detectImageType(content);
  if (mediaType === null) throw invalid("image", "must be a PNG, JPEG, GIF or WebP image", "format");
  return { mediaType, content, version: hashVersion(content) };
}

/**
 * The first bytes of the accepted formats. SVG is excluded, because an SVG file that is opened directly is a document
 * that can run scripts.
 */
function detectImageType(content: Buffer): string | null {
  const start = content.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  if (/^RIFF.{4}WEBP/s.test(start)) return "image/webp";
  return null;
}

function hashVersion(content: Buffer): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 16);
}
