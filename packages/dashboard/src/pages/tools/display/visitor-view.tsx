import type { Display } from "@foyer/contract";
import { ImageOff } from "lucide-react";
import { type ReactNode, useState } from "react";

type Slots = Record<string, unknown>;

/** What a visitor sees of a result in the chat. */
export function VisitorView({ name, display }: { name: string; display: Display }) {
  const said = name.replaceAll("_", " ");
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      aria-label="What a visitor sees"
      className="overflow-x-auto rounded-xl border border-line bg-raised p-4"
    >
      <Shown said={said} display={display} />
    </section>
  );
}

function Shown({ said, display: { type, slots, options } }: { said: string; display: Display }) {
  switch (type) {
    case "product_card":
    case "image":
      return hasAny(slots) ? <Card slots={slots} options={options} isPicture={type === "image"} /> : <Nothing />;
    case "product_carousel": {
      const items = listIn(slots.items);
      if (items.length === 0) return <Nothing />;
      return (
        <ul className="flex gap-2">
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: products have nothing else
            <li key={index} className="w-52 shrink-0">
              <Card slots={item} options={options} />
            </li>
          ))}
        </ul>
      );
    }
    case "table":
      return Array.isArray(slots.rows) && slots.rows.length > 0 ? (
        <Rows slots={slots} options={options} />
      ) : (
        <Nothing />
      );
    case "buttons":
      return <Buttons slots={slots} />;
    case "custom":
      return hasAny(slots) ? <Pairs slots={slots} /> : <Nothing />;
    case "form":
      return <Nothing />;
    default:
      return (
        <details open className="text-soft">
          <summary>Used {said}</summary>
          <p className="mt-2 border-s border-line ps-3 whitespace-pre-wrap">{textIn(slots.text)}</p>
        </details>
      );
  }
}

function Nothing() {
  return <p className="text-soft">Nothing yet: no field of the result is shown.</p>;
}

function Card({
  slots,
  options,
  isPicture = false,
}: {
  slots: Slots;
  options: Display["options"];
  isPicture?: boolean;
}) {
  const text = (slot: string, option: keyof Display["options"]) =>
    options[option] === false ? "" : textIn(slots[slot]);
  const [title, description] = [text("title", "showTitle"), text("description", "showDescription")];
  const price = isPicture ? "" : text("price", "showPrice");
  const hasImage = slots.image !== undefined && options.showImage !== false;
  const acts = isPicture
    ? []
    : [options.showAddToCart && title ? "Add to cart" : "", slots.url ? "View" : ""].filter(Boolean);
  return (
    <article className="overflow-hidden rounded-lg border border-line">
      {hasImage && <Picture key={textIn(slots.image)} src={textIn(slots.image)} />}
      {(title || price || description || acts.length > 0) && (
        <div className="grid gap-1 p-3">
          <p className="flex justify-between gap-3 font-medium">
            <span>{title}</span> <span className="whitespace-nowrap">{price}</span>
          </p>
          {description && <p className="text-soft">{description}</p>}
          {acts.length > 0 && (
            <p className="mt-1 flex flex-wrap gap-2">
              {acts.map((act) => (
                <Chip key={String(act)}>{act}</Chip>
              ))}
            </p>
          )}
        </div>
      )}
    </article>
  );
}

/** Other sites' pictures may not be there, or may not want to be shown here. */
function Picture({ src }: { src: string }) {
  const [isMissing, setMissing] = useState(false);
  return (
    <div className="grid h-32 place-items-center bg-sunken text-edge">
      {isMissing ? (
        <ImageOff size={24} aria-label="The picture could not be loaded" />
      ) : (
        <img
          alt=""
          {...{ src, loading: "lazy", referrerPolicy: "no-referrer", className: "size-full object-cover" }}
          onError={() => setMissing(true)}
        />
      )}
    </div>
  );
}

function Chip({ children }: { children: ReactNode }) {
  return <span className="rounded-lg border border-line px-3 py-1">{children}</span>;
}

function Rows({ slots, options }: { slots: Slots; options: Display["options"] }) {
  const columns = Array.isArray(slots.columns) ? slots.columns.map(String) : [];
  const rows = Array.isArray(slots.rows) ? slots.rows.filter(Array.isArray) : [];
  return (
    <table className="w-full border-collapse text-start">
      {options.showHeader !== false && (
        <thead>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th key={column} scope="col" className="py-1.5 pe-3 text-start font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing else
          <tr key={index} className="border-b border-line last:border-0">
            {row.map((cell: unknown, column: number) => (
              <td
                key={columns[column] ?? column}
                className={`py-1.5 pe-3 ${typeof cell === "number" ? "text-end" : ""}`}
              >
                {textIn(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Buttons({ slots }: { slots: Slots }) {
  const buttons = listIn(slots.buttons);
  if (buttons.length === 0) return <Nothing />;
  return (
    <div className="grid gap-2">
      {textIn(slots.title) && <p>{textIn(slots.title)}</p>}
      <p className="flex flex-wrap gap-2">
        {buttons.map((button, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: buttons have nothing else
          <Chip key={index}>{textIn(button.label) || textIn(button.value) || textIn(button.url)}</Chip>
        ))}
      </p>
    </div>
  );
}

function Pairs({ slots }: { slots: Slots }) {
  return (
    <dl className="grid gap-2">
      {Object.entries(slots).map(([slot, value]) => (
        <div key={slot}>
          <dt className="text-sm text-soft">{slot}</dt>
          <dd>{textIn(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

const hasAny = (slots: Slots) => Object.keys(slots).length > 0;

function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function listIn(value: unknown): Slots[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}
