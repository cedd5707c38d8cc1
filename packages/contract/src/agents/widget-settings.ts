import Type from "typebox";
import { widgetLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { nullable, stringEnum } from "../schema.ts";

const suggestion = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "A message that visitors can send with one click",
});

const launcherIcons = ["chat", "message", "question", "sparkle", "lamp"] as const;

const offset = (edge: string) =>
  Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: widgetLimits.offset,
        description: `Distance of the launcher from the ${edge} of the window in pixels. Defaults to 20.`,
      }),
    ),
  );

/** How the widget looks and greets visitors. Every field is optional; `null` means the widget's own default. */
export const WidgetSettings = Type.Object({
  title: Type.Optional(
    nullable(
      Type.String({ maxLength: 200, description: "Title of the chat panel. Defaults to the name of the agent." }),
    ),
  ),
  greeting: Type.Optional(
    nullable(
      Type.String({ maxLength: 2_000, description: "Markdown shown before the first message. Defaults to none." }),
    ),
  ),
  suggestions: Type.Optional(
    nullable(
      Type.Array(suggestion, {
        maxItems: widgetLimits.suggestions,
        description: "Messages that visitors can send with one click before the first message. Defaults to none.",
      }),
    ),
  ),
  pageSuggestions: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          page: Type.String({
            maxLength: 2_000,
            description: "Glob of the page's path, such as `/pricing` or `/bikes/*`, as in `page_view` triggers",
          }),
          suggestions: Type.Array(suggestion, {
            maxItems: widgetLimits.suggestions,
            description: "What is suggested on these pages. An empty list suggests nothing.",
          }),
        }),
        {
          maxItems: 50,
          description:
            "Suggestions for some pages. The first list whose `page` matches replaces `suggestions`. Defaults to none.",
        },
      ),
    ),
  ),
  accentColor: Type.Optional(nullable(Type.String({ pattern: textPatterns.color, description: "`#rrggbb`" }))),
  face: Type.Optional(
    nullable(
      stringEnum(
        ["image", "initials", "lamp", "none"],
        "What represents the agent in the chat. `image`, the default, is the uploaded `avatar` image, or the lamp without one.",
      ),
    ),
  ),
  accentMessages: Type.Optional(
    nullable(Type.Boolean({ description: "Whether the visitor's messages have the accent color. Off by default." })),
  ),
  position: Type.Optional(
    nullable(stringEnum(["left", "right"], "Side of the window on which the launcher is. Defaults to `right`.")),
  ),
  theme: Type.Optional(
    nullable(
      stringEnum(
        ["auto", "light", "dark"],
        "`auto`, the default, follows the page's CSS `color-scheme`, or the visitor's system if the page has none.",
      ),
    ),
  ),
  launcherIcon: Type.Optional(
    nullable(
      stringEnum(launcherIcons, "Defaults to `chat`, a speech bubble. An uploaded `launcher` image replaces it."),
    ),
  ),
  offsetX: offset("side"),
  offsetY: offset("bottom"),
  locale: Type.Optional(
    nullable(
      Type.String({
        pattern: textPatterns.languageTag,
        maxLength: 35,
        description:
          "Language tag of the widget's own texts, such as `de-CH`. Defaults to the page's language, then the browser's.",
      }),
    ),
  ),
  launcherLabel: Type.Optional(
    nullable(Type.String({ maxLength: 100, description: "Text beside the launcher's icon. Defaults to none." })),
  ),
  showAiNotice: Type.Optional(
    nullable(
      Type.Boolean({
        description: "Whether the chat says that an AI answers, before the first message. On by default.",
      }),
    ),
  ),
  aiNotice: Type.Optional(
    nullable(
      Type.String({
        maxLength: 500,
        description: "Replaces the widget's own notice, which is in the visitor's language",
      }),
    ),
  ),
  privacyPolicyUrl: Type.Optional(
    nullable(
      Type.String({ maxLength: 2_000, pattern: textPatterns.webAddress, description: "The notice links to this page" }),
    ),
  ),
  consentText: Type.Optional(
    nullable(
      Type.String({
        maxLength: 2_000,
        description:
          "The text that visitors agree to before their first message. `POST /chat` then requires `consent: true` once in each conversation.",
      }),
    ),
  ),
  errorMessage: Type.Optional(
    nullable(
      Type.String({
        maxLength: 500,
        description: "Shown when a reply fails or the server cannot be reached, such as a phone number to call",
      }),
    ),
  ),
});
