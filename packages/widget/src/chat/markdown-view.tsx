/** @jsxImportSource preact */
import type { Source } from "@foyer/sdk";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Block, parseBlocks, splitBlocks } from "../markdown/blocks.ts";
import { parseInline } from "../markdown/inline.ts";
import type { Inline } from "../markdown/inline-writer.ts";
import { linkTargetFor } from "../markdown/link-target.ts";
import { isTask, taskText } from "../markdown/task-item.ts";
import { CodeBlock } from "./code-block.tsx";
import { SourceLink } from "./source-link.tsx";

export type MarkdownProps = {
  text: string;
  /** The hosts from which images are shown. */
  imageHosts: readonly string[];
  /** Whether the text is still streaming in. */
  isUnfinished: boolean;
  /** The documents that numbers in brackets, such as `[1]`, cite. Without them, such numbers are text. */
  sources?: readonly Source[] | undefined;
};

/**
 * Renders Markdown as elements, without an HTML string in between. While the text grows, only its last part is
 * rendered again.
 */
export function MarkdownView({ text, isUnfinished, ...rest }: MarkdownProps): JSX.Element {
  const parts = splitBlocks(text);
  return (
    <div class="markdown" dir="auto">
      {parts.map((part, index) => (
        <Part key={index} text={part} isUnfinished={isUnfinished && index === parts.length - 1} {...rest} />
      ))}
    </div>
  );
}

function Part({ text, imageHosts, isUnfinished, sources }: MarkdownProps): JSX.Element {
  return useMemo(() => {
    const renderInline = (source: string) => renderInlineParts(parseInline(source, imageHosts, isUnfinished), sources);
    return <>{renderBlocks(parseBlocks(text), renderInline)}</>;
  }, [text, imageHosts, isUnfinished, sources]);
}

type Rendered = JSX.Element | string;
type InlineOf = (source: string) => Rendered[];

function renderBlocks(blocks: readonly Block[], inline: InlineOf): JSX.Element[] {
  return blocks.map((block, key) => blockView(block, key, inline));
}

function blockView(block: Block, key: number, inline: InlineOf): JSX.Element {
  switch (block.type) {
    case "paragraph":
      return <p key={key}>{inline(block.text)}</p>;
    case "heading":
      // Levels 1 and 2 belong to the page and to the chat.
      return block.level <= 2 ? <h3 key={key}>{inline(block.text)}</h3> : <h4 key={key}>{inline(block.text)}</h4>;
    case "code":
      return <CodeBlock key={key} language={block.language} text={block.text} />;
    case "quote":
      return <blockquote key={key}>{renderBlocks(block.children, inline)}</blockquote>;
    case "rule":
      return <hr key={key} />;
    case "table":
      return <TableBlock key={key} table={block} inline={inline} />;
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index} class={isTask(item) ? "task" : undefined}>
          {renderItem(item, inline)}
        </li>
      ));
      return block.start === null ? (
        <ul key={key} dir="auto">
          {items}
        </ul>
      ) : (
        <ol key={key} start={block.start} dir="auto">
          {items}
        </ol>
      );
    }
  }
}

/** A list item that consists of one paragraph is rendered without the paragraph element. */
function renderItem(item: readonly Block[], inline: InlineOf): Rendered[] {
  const [first, ...rest] = item;
  if (first?.type !== "paragraph") return renderBlocks(item, inline);
  const text = isTask(item) ? taskText(first.text) : first.text;
  return [...inline(text), ...renderBlocks(rest, inline)];
}

function TableBlock({ table, inline }: { table: Extract<Block, { type: "table" }>; inline: InlineOf }) {
  const alignment = (column: number) => {
    const align = table.align[column];
    return align ? { class: `align-${align}` } : {};
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section class="scroller" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.head.map((cell, column) => (
              <th key={column} scope="col" {...alignment(column)}>
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} {...alignment(column)}>
                  {inline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function renderInlineParts(parts: readonly Inline[], sources: readonly Source[] | undefined): Rendered[] {
  return parts.flatMap((part, key) => {
    switch (part.type) {
      case "text":
        return sources ? withCitations(part.text, key, sources) : part.text;
      case "code":
        return <code key={key}>{part.text}</code>;
      case "break":
        return <br key={key} />;
      case "link":
        return (
          <a key={key} href={part.href} {...linkTargetFor(part.href)}>
            {renderInlineParts(part.children, sources)}
          </a>
        );
      case "image":
        return (
          <img key={key} src={part.src} alt={part.alt} loading="lazy" decoding="async" referrerpolicy="no-referrer" />
        );
      default: {
        const Tag = part.type;
        return <Tag key={key}>{renderInlineParts(part.children, sources)}</Tag>;
      }
    }
  });
}

/** Shows the numbers of `[1]` and `[1, 3]` as marks, as they are in the list of sources, and links to their sources. */
function withCitations(text: string, key: number, sources: readonly Source[]): Rendered[] {
  return text.split(/ ?(\[\d{1,3}(?:, ?\d{1,3})*\])/).flatMap((part, index): Rendered[] =>
    index % 2 === 0
      ? [part]
      : (part.match(/\d+/g) ?? []).map((number) => (
          <SourceLink
            key={`${key}-${index}-${number}`}
            source={sources.find(({ n }) => n === +number)}
            class="citation mark"
          >
            {number}
          </SourceLink>
        )),
  );
}
