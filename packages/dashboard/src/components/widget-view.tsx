import type { Agent } from "@foyer/contract";
import type { Preview, PreviewContent, PreviewOptions } from "@foyer/widget/preview";
import { useEffect, useRef } from "react";
import { serverUrl } from "../data/server-address.ts";
import { useColorScheme } from "../data/theme.ts";

export type { PreviewContent };

/** Members read replies among texts of the dashboard, in its font and size. */
export const TRANSCRIPT_FONT = '14px/22px "Inter Variable", system-ui, sans-serif';

type Live = NonNullable<PreviewOptions["live"]>;

/**
 * Shows a part of a conversation with the widget's own code and styles, so that members see what visitors see. With
 * `live`, its buttons send messages and its forms submit in that conversation; without it, nothing is sent.
 */
export function WidgetView({
  agent,
  content,
  live,
  canTryForms = false,
  font = "",
}: {
  agent: Agent;
  content: PreviewContent;
  live?: Live;
  canTryForms?: boolean;
  /** A CSS `font` that replaces the widget's. */
  font?: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useColorScheme();
  const preview = useRef<Preview>(null);
  const latest = useRef({ content, theme, live });
  latest.current = { content, theme, live };
  const conversationId = live?.conversation?.id;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is another preview
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let isGone = false;
    void import("@foyer/widget/preview").then(async ({ mountPreview }) => {
      const { theme, live } = latest.current;
      const onSay = (text: string) => latest.current.live?.onSay(text);
      const userToken = async (isNew: boolean) => (await latest.current.live?.userToken(isNew)) ?? null;
      const mounted = await mountPreview(element, {
        // Handoff is disabled in previews.
        agent: { ...agent, handoff: null },
        baseUrl: serverUrl(),
        theme,
        canTryForms,
        font,
        ...(live ? { live: { conversation: live.conversation, onSay, userToken } } : {}),
      });
      if (isGone) return mounted.remove();
      preview.current = mounted;
      mounted.setTheme(latest.current.theme);
      mounted.show(latest.current.content);
    });
    return () => {
      isGone = true;
      preview.current?.remove();
      preview.current = null;
    };
  }, [agent, conversationId, canTryForms, font]);

  useEffect(() => preview.current?.show(content), [content]);
  useEffect(() => preview.current?.setTheme(theme), [theme]);

  return <div ref={place} className="min-w-0" />;
}
