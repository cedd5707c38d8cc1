import type { WidgetTrigger } from "@foyer/sdk";
import type { ShadowHost } from "../../loader/shadow-host.ts";
import type { WidgetCore } from "../../loader/widget-core.ts";
import type { WatchedTrigger } from "../trigger-engine.ts";
import type { Triggers } from "../watch-triggers.ts";
import css from "./debug.css?inline";
import { describeTrigger, type PageFacts } from "./describe-trigger.ts";

type Running = Triggers;

const STEP_MS = 500;

/** Shows the agent's triggers over the page, with how each stands, for who makes the site: in English. Once. */
export function openDebug(core: WidgetCore, triggers: Promise<Triggers | null>): void {
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
  const note = make("p", "debug-note", "The triggers are loaded once the page has nothing else to do.");
  const close = () => {
    clearInterval(timer);
    box.remove();
  };
  const head = make("div", "debug-head");
  head.append(make("h2", "", "Triggers on this page"), button("Close", close));
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
    // It compares the data of events; without it they read as not fitting.
    await running?.load();
    if (!box.isConnected) return;
    if (!running) {
      setText(note, "This agent has no enabled triggers, or they could not be loaded: then the console says why.");
      return;
    }
    note.remove();
    const rows = running.engine.watched.map((watched) =>
      addRow(list, watched, async () => (await running.load())?.perform(watched.trigger)),
    );
    const count = make("p", "debug-note");
    const reset = button("Forget what fired", () => {
      running.fired.clear();
      running.engine.restart();
      update();
    });
    foot.append(count, reset);
    update = () => {
      const page = readPage(core, running);
      setText(
        facts,
        `${page.path} · ${Math.floor(page.visible / 1_000)} s visible · ${page.depth === null ? "cannot be scrolled" : `${Math.floor(page.depth)} % scrolled`}`,
      );
      const waiting = running.acting()?.reports.state().waiting ?? 0;
      setText(count, waiting > 0 ? `${waiting} left to report.` : "Nothing left to report.");
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
  title.append(name, button("Fire now", fire, `Fire now: ${trigger.name}`));
  const [stands, wants, has, report] = [make("p", "debug-stands"), make("dd"), make("dd"), make("dd")];
  const details = make("dl", "debug-details");
  const reported = make("dt", "", "Report");
  details.append(make("dt", "", "Wants"), wants, make("dt", "", "Has"), has, make("dt", "", "Does"));
  details.append(make("dd", "", doesWhat(trigger)), reported, report);
  row.append(title, stands, details);
  list.append(row);
  return (running: Running, page: Omit<PageFacts, "isDone">, watched: WatchedTrigger) => {
    const isDone = running.fired.has(trigger.id);
    const described = describeTrigger(watched, { ...page, isDone });
    const outcome = running.acting()?.reports.state().outcomes.get(trigger.id);
    row.dataset.state = watched.note === "fired" ? "fired" : watched.state;
    setText(stands, described.stands);
    setText(wants, described.wants);
    setText(has, described.has);
    setText(report, outcome ?? "");
    reported.hidden = report.hidden = outcome === undefined;
  };
}

function readPage(
  { panel, shadow }: WidgetCore,
  { engine, visible, events, acting }: Running,
): Omit<PageFacts, "isDone"> {
  const { quiet, typing, shown } = engine.waits();
  const seconds = (ms: number) => `${Math.ceil(ms / 1_000)} s`;
  const page = document.scrollingElement;
  const canScroll = page !== null && page.scrollHeight - page.clientHeight > 1;
  const hindrances = [
    panel.isOpen && "the chat is open",
    shadow.host.hidden && "the widget is hidden",
    document.hidden && "the page is not visible",
    shown && `“${shown.name}” is being shown`,
    typing > 0 && `the visitor is typing, ${seconds(typing)} left`,
    quiet > 0 && `10 s must pass between two triggers, ${seconds(quiet)} left`,
    shadow.frame.querySelector(".nudge:is(:hover, :focus-within)") !== null && "a bubble is being read",
  ];
  return {
    path: location.pathname,
    visible: visible.count(),
    depth: canScroll ? engine.view.depth : null,
    hasMouse: matchMedia("(hover: hover)").matches,
    events,
    fits: (conditions, data) => acting()?.fits(conditions, data) ?? false,
    hindrance: hindrances.find((words) => words) || null,
  };
}

function doesWhat({ actionType, actionConfig, triggerOnce, priority }: WidgetTrigger) {
  const { message, toolId, duration } = actionConfig;
  const does = {
    open_chat: `opens the chat${message ? ` with “${message}”` : ""}`,
    show_form: `shows the form ${toolId}`,
    show_bubble: `says “${message}”${duration ? ` for ${Number(duration) / 1_000} s` : ""}`,
  }[actionType];
  return `${does}, ${triggerOnce ? "once a session" : "each time"}, priority ${priority}`;
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

function button(text: string, press: () => void, label?: string) {
  const element = make("button", "debug-button", text);
  element.type = "button";
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", press);
  return element;
}

/** Only what changed, so that nobody who reads or listens is disturbed. */
function setText(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text;
}
