import { useEffect, useRef, useState } from "react";
import { serverPath } from "../data/server-address.ts";

/**
 * The content of the real widget in a preview: an agent's settings, saved or not, and a trigger that fires immediately.
 */
export type PreviewedWidget = {
  name: string;
  widget: object;
  /** Each image is a saved path, a data URL, or null. */
  images: Record<"logo" | "avatar" | "launcher", string | null>;
  theme: "light" | "dark";
  /** The trigger to fire. Null keeps the chat closed. Undefined opens the chat. */
  trigger?: { actionType: string; actionConfig: object } | null;
};

/** The real widget in a page that the server provides for previews, scaled from `width` and `height` in pixels. */
export function WidgetFrame({
  agentId,
  title,
  shown,
  width,
  height,
  scale,
  className = "",
}: {
  agentId: string;
  title: string;
  shown: PreviewedWidget;
  width: number;
  height: number;
  scale: number;
  className?: string;
}) {
  const frame = useFrame(shown);
  return (
    <iframe
      ref={frame}
      title={title}
      src={serverPath(`/preview/${agentId}`)}
      className={`absolute top-0 left-1/2 origin-top border-line ${className}`}
      style={{ width, height, transform: `translateX(-50%) scale(${scale})` }}
    />
  );
}

/**
 * Sends the settings to the frame: immediately when its page is ready, later with a short delay after the last change.
 */
function useFrame(shown: PreviewedWidget) {
  const frame = useRef<HTMLIFrameElement>(null);
  const sent = useRef<{ page: MessageEventSource; text: string } | null>(null);
  const text = JSON.stringify({ type: "foyer-preview", ...shown });
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      const isOurs = source === frame.current?.contentWindow && origin === location.origin;
      if (!isOurs || !source || data?.type !== "foyer-preview-ready") return;
      sent.current = { page: source, text: latest.current };
      frame.current?.contentWindow?.postMessage(JSON.parse(latest.current), location.origin);
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => {
      const page = frame.current?.contentWindow;
      // A page that is still loading asks for the settings when it is ready.
      if (!page || sent.current?.page !== page || sent.current.text === text) return;
      sent.current = { page, text };
      page.postMessage(JSON.parse(text), location.origin);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);

  return frame;
}

/** The size of an element's content in pixels; 0 before the first measurement. */
export function useSize(element: React.RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const watcher = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      setSize({ width, height });
    });
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [element]);
  return size;
}
