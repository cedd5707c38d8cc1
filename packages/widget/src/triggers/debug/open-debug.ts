import type { WidgetTrigger } from "@foyer/sdk";
import type { ShadowHost } from "../../loader/shadow-host.ts";
import type { PageCore } from "../../loader/widget-core.ts";
import type { WatchedTrigger } from "../trigger-engine.ts";
import type { Triggers } from "../watch-triggers.ts";
import css from "./debug.css?inline";
import { describeTrigger, type PageFacts } from "./describe-trigger.ts";

type Running = Triggers;

const STEP_MS = 500;

/**
 * Opens the debug overlay, which lists the agent's triggers and the status of each. It is for developers, so it is in
 * English only. A second call does nothing.
 */
export function openDebug(core: PageCore, triggers: Promise<Triggers | null>): void {
  const { shadow, signal } = core;
  const { frame } = shadow;
  const open = frame.querySelector<HTMLElement>(".debug");
  if (open) {
    open.focus();
    return;
  }
  if (!styled.has(shadow)) shadow.addStyles(css);
  styled.add(shadow);

  const box = make("div", "debug");
  box.lang = "en";
  box.dir = "ltr";
  box.tabIndex = -1;
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-label", "Triggers on this page");
  const facts = make("p", "debug-facts");
  const list = make("ol", "debug-list");
  const foot = make("div", "debug-foot");
  const note = make("p", "debug-note", "Triggers load once the page is idle.");
  const close = () => {
    clearInterval(timer);
    box.remove();
  };
  const head = make("div", "debug-head");
  head.append(make("h2", "", "Triggers on this page"), createButton("Close", close));
  box.append(head, facts, note, list, foot);
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
  });
  frame.append(box);
  box.focus({ preventScroll: true });

  let update = () => {};
  const timer = setInterval(() => update(), STEP_MS);
  signal.addEventListener("abort", close);
  void triggers.then(async (running) => {
    // This part compares event data. Without it, every event would appear not to match.
    await running?.load();
    if (!box.isConnected) return;
    if (!running) {
      setText(note, "This agent has no enabled triggers, or they could not be loaded. Check the console for errors.");
      return;
    }
    note.remove();
    const rows = running.engine.watched.map((watched) =>
      addRow(list, watched, async () => (await running.load())?.run(watched.trigger)),
    );
    const count = make("p", "debug-note");
    const reset = createButton("Reset fired triggers", () => {
      running.fired.clear();
      running.engine.restart();
      update();
    });
    foot.append(count, reset);
    update = () => {
      const page = readPage(core, running);
      setText(
        facts,
        `${page.path} · ${Math.floor(page.visible / 1_000)} s visible · ${page.depth === null ? "not scrollable" : `${Math.floor(page.depth)}% scrolled`}`,
      );
      const waiting = running.actions()?.reports.state().waiting ?? 0;
      setText(count, waiting > 0 ? `${waiting} not reported yet.` : "Everything is reported.");
      for (const [index, watched] of running.engine.watched.entries()) rows[index]?.(running, page, watched);
    };
    update();
  });
}

const styled = new WeakSet<ShadowHost>();

function addRow(list: HTMLElement, { trigger }: WatchedTrigger, fire: () => void) {
  const row = make("li", "debug-row");
  const title = make("div", "debug-title");
  const name = make("bdi", "debug-name", trigger.name);
  title.append(name, createButton("Fire now", fire, `Fire now: ${trigger.name}`));
  const [status, expected, actual, report] = [make("p", "debug-status"), make("dd"), make("dd"), make("dd")];
  const details = make("dl", "debug-details");
  const reported = make("dt", "", "Report");
  details.append(make("dt", "", "Condition"), expected, make("dt", "", "Current"), actual, make("dt", "", "Action"));
  details.append(make("dd", "", describeAction(trigger)), reported, report);
  row.append(title, status, details);
  list.append(row);
  return (running: Running, page: Omit<PageFacts, "isDone">, watched: WatchedTrigger) => {
    const isDone = running.fired.has(trigger.id);
    const described = describeTrigger(watched, { ...page, isDone });
    const outcome = running.actions()?.reports.state().outcomes.get(trigger.id);
    row.dataset.state = watched.note === "fired" ? "fired" : watched.state;
    setText(status, described.status);
    setText(expected, described.expected);
    setText(actual, described.actual);
    setText(report, outcome ?? "");
    reported.hidden = report.hidden = outcome === undefined;
  };
}

function readPage(
  { panel, shadow }: PageCore,
  { engine, visible, events, actions }: Running,
): Omit<PageFacts, "isDone"> {
  const { quiet, typing, shown } = engine.waits();
  const formatSeconds = (ms: number) => `${Math.ceil(ms / 1_000)} s`;
  const page = document.scrollingElement;
  const canScroll = page !== null && page.scrollHeight - page.clientHeight > 1;
  const blockers = [
    panel.isOpen && "the chat is open",
    shadow.host.hidden && "the widget is hidden",
    document.hidden && "the page is not visible",
    shown && `“${shown.name}” is visible`,
    typing > 0 && `the visitor is typing, ${formatSeconds(typing)} left`,
    quiet > 0 && `10 s have to pass between two triggers, ${formatSeconds(quiet)} left`,
    shadow.frame.querySelector(".nudge:is(:hover, :focus-within)") !== null && "the visitor is reading a bubble",
  ];
  return {
    path: location.pathname,
    visible: visible.count(),
    depth: canScroll ? engine.view.depth : null,
    hasMouse: matchMedia("(hover: hover)").matches,
    events,
    matches: (conditions, data) => actions()?.matches(conditions, data) ?? false,
    blocker: blockers.find((reason) => reason) || null,
  };
}

function describeAction({ actionType, actionConfig, triggerOnce, priority }: WidgetTrigger) {
  const { message, toolId, duration } = actionConfig;
  const does = {
    open_chat: `opens the chat${message ? ` with “${message}”` : ""}`,
    show_form: `shows the form ${toolId}`,
    show_bubble: `shows the bubble “${message}”${duration ? ` for ${Number(duration) / 1_000} s` : ""}`,
  }[actionType];
  return `${does}, ${triggerOnce ? "once per session" : "every time"}, priority ${priority}`;
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  text = "",
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

function createButton(text: string, press: () => void, label?: string) {
  const element = make("button", "debug-button", text);
  element.type = "button";
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", press);
  return element;
}

/** Writes only changed text, so a text selection or a screen reader is not interrupted. */
function setText(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text;
}
