import { maxRatingCommentLength } from "@foyer/contract/rules/limits";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Config } from "../config.ts";
import type { ConversationRatings } from "../conversations/rating.ts";
import { ratingTexts } from "../conversations/rating-texts.ts";
import { AppError } from "../errors.ts";
import type { App } from "../http/app.ts";
import { placeBelow } from "../http/base-path.ts";
import { createRateLimit, findLimitedClient } from "../plans/rate-limit.ts";
import { createFormPagePolicy } from "./form-page-policy.ts";
import { describeRating, type PageLanguage, renderRatingForm, renderRefusal, renderThanks } from "./rating-page.ts";

const policy = createFormPagePolicy();

/** A form with the longest reason, in which each character takes up to 12 bytes. */
const MAX_FORM_BYTES = 32 * 1024;

const url = "/rate/:id";
const options = {
  config: { access: "public" as const },
  schema: {
    hide: true,
    params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
    querystring: Type.Object({
      token: Type.String({ maxLength: 200, default: "" }),
      score: Type.Optional(Type.String({ maxLength: 20 })),
    }),
  },
};

/**
 * The page of the link in an email that asks for a rating. Opening it changes nothing, because mail scanners open links.
 * Its form sends a POST.
 */
export function ratingPageRoutes(app: App, config: Config, ratings: ConversationRatings): void {
  const perAddress = createRateLimit(config.limits.ratingPerIp, "ratings from your address");

  function show(reply: FastifyReply, status: number, html: string) {
    return reply
      .status(status)
      .headers({
        "content-security-policy": policy,
        "cache-control": "no-store",
        "x-robots-tag": "noindex",
        // The form's request keeps its origin, and other sites do not learn the token.
        "referrer-policy": "same-origin",
      })
      .type("text/html; charset=utf-8")
      .send(placeBelow(html, config.basePath));
  }

  const refuseInvalid = (reply: FastifyReply, shown: PageLanguage) =>
    show(reply, 404, renderRefusal(shown, { title: shown.texts.invalid, text: shown.texts.invalidText }));
  const refuseExpired = (reply: FastifyReply, shown: PageLanguage) =>
    show(reply, 410, renderRefusal(shown, { title: shown.texts.expired, text: shown.texts.expiredText }));

  type Link = { id: string; token: string };

  /** Finds the conversation of the link. @returns null when the reply already says why there is none */
  async function open(request: FastifyRequest, reply: FastifyReply, { id, token }: Link) {
    const shown = ratingTexts(preferredLanguage(request));
    try {
      await perAddress.consume(findLimitedClient(request, config));
      const viewer = ratings.linkHolder(id, token);
      if (viewer === "expired") refuseExpired(reply, shown);
      else if (viewer === null) refuseInvalid(reply, shown);
      else {
        const asked = await ratings.readLinked(viewer, id);
        return { id, viewer, asked, shown: ratingTexts(asked.language) };
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "RATE_LIMITED") {
        reply.header("retry-after", Math.ceil(error.retryAfter ?? 1));
        show(reply, 429, renderRefusal(shown, { title: shown.texts.busy, text: shown.texts.busyText }));
      } else if (error.code === "NOT_FOUND" || error.code === "UNAUTHORIZED") refuseInvalid(reply, shown);
      else throw error;
    }
    return null;
  }

  type Opened = Pick<NonNullable<Awaited<ReturnType<typeof open>>>, "asked" | "shown">;

  /** Shows the rating that can no longer be changed, or says that it is too late for one. */
  function refuseLate(reply: FastifyReply, { asked: { rating }, shown }: Opened) {
    if (!rating) return refuseExpired(reply, shown);
    const title = describeRating(shown.texts, rating.score);
    return show(reply, 409, renderRefusal(shown, { title, text: shown.texts.closed }));
  }

  const toForm = ({ asked: { agentName, question }, shown: { texts } }: Opened) => ({
    siteName: agentName,
    question: question ?? texts.question.replaceAll("{site}", () => agentName),
  });

  app.get(url, options, async (request, reply) => {
    const { score, token } = request.query;
    const opened = await open(request, reply, { ...request.params, token });
    if (!opened) return reply;
    const { rating, canRate } = opened.asked;
    if (!canRate) return refuseLate(reply, opened);
    const form = {
      ...toForm(opened),
      score: readScore(score) ?? rating?.score ?? null,
      comment: rating?.comment ?? "",
      problem: null,
    };
    return show(reply, 200, renderRatingForm(opened.shown, form));
  });

  // Only this page sends forms, so only its route reads them.
  app.register(async (scope: App) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: MAX_FORM_BYTES },
      async (_: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
    );
    scope.post(url, options, async (request, reply) => {
      const { token } = request.query;
      const opened = await open(request, reply, { ...request.params, token });
      if (!opened) return reply;
      const { id, viewer, asked, shown } = opened;
      const { score, comment } = readForm(request.body);
      const isTooLong = comment.length > maxRatingCommentLength;
      if (score === null || isTooLong) {
        const tooLong = shown.texts.tooLong.replace("{max}", String(maxRatingCommentLength));
        const problem = score === null ? shown.texts.choose : tooLong;
        return show(reply, 400, renderRatingForm(shown, { ...toForm(opened), score, comment, problem }));
      }
      try {
        await ratings.rate(viewer, id, { score, comment, isMember: false });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
        return refuseLate(reply, { asked: await ratings.readLinked(viewer, id), shown });
      }
      const address = `/rate/${id}?${new URLSearchParams({ token })}`;
      return show(reply, 200, renderThanks(shown, { siteName: asked.agentName, score, address }));
    });
  });
}

function readForm(body: unknown): { score: number | null; comment: string } {
  const { score, comment } = (body ?? {}) as Record<string, unknown>;
  // Browsers send line breaks as CRLF, and count them as one character.
  const text = typeof comment === "string" ? comment.replaceAll("\r\n", "\n").trim() : "";
  return { score: readScore(score), comment: text };
}

function readScore(value: unknown): number | null {
  return typeof value === "string" && /^[1-5]$/.test(value) ? Number(value) : null;
}

/** The first language of the browser, for links that lead to no conversation. */
function preferredLanguage({ headers }: FastifyRequest): string | null {
  return /^\s*([a-z]{2,3})\b/i.exec(headers["accept-language"] ?? "")?.[1] ?? null;
}
