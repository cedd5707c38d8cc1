import { Page } from "../../components/page.tsx";

export function EmbedPage() {
  return <Page title="EmbedPage">{null}</Page>;
}
