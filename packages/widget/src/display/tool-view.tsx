/** @jsxImportSource preact */
import type { JSX } from "preact";
import type { ToolPiece } from "../chat/conversation-state.ts";
import { FormPlace } from "../forms/form-place.tsx";
import { interpolate } from "../locales/load-messages.ts";
import { usePanel } from "../panel/panel-context.ts";
import { ButtonsDisplay } from "./buttons-display.tsx";
import { CustomDisplay } from "./custom-display.tsx";
import { ImageDisplay } from "./image-display.tsx";
import { ProductCard } from "./product-card.tsx";
import { ProductCarousel } from "./product-carousel.tsx";
import type { ShownTool } from "./slots.ts";
import { TableDisplay } from "./table-display.tsx";
import { TextDisplay } from "./text-display.tsx";

/** What the visitor sees of a tool call: that it runs, and then what came of it. `formKey` tells forms apart. */
export function ToolView({ tool, formKey }: { tool: ToolPiece; formKey: string }): JSX.Element | null {
  const { words } = usePanel();
  const { name, label, state, display, form, result } = tool;
  const readable = name.replaceAll("_", " ");
  const isSearch = tool.kind === "documents";
  // The reply lists what it cites, so a finished search shows nothing of its own.
  if (isSearch && state !== "running") return null;
  if (state === "running") {
    return (
      <p class="tool waiting">
        <span class="lamp lit" aria-hidden="true" />
        <span dir="auto">
          {isSearch ? words.searchingDocuments : (label ?? interpolate(words.usingTool, { tool: readable }))}
        </span>
      </p>
    );
  }
  if (state === "failed") return <p class="tool">{interpolate(words.toolFailed, { tool: label ?? readable })}</p>;
  if (form) return <FormPlace form={form} instanceKey={formKey} />;
  const shown: ShownTool = { name, label, result, slots: display?.slots ?? {}, options: display?.options ?? {} };
  switch (display?.type) {
    case "product_card":
      return <ProductCard slots={shown.slots} options={shown.options} />;
    case "product_carousel":
      return <ProductCarousel tool={shown} />;
    case "image":
      return <ImageDisplay tool={shown} />;
    case "table":
      return <TableDisplay tool={shown} />;
    case "buttons":
      return <ButtonsDisplay tool={shown} />;
    case "custom":
      return <CustomDisplay tool={shown} />;
    default:
      return <TextDisplay tool={shown} />;
  }
}
