import { Bikes } from "../../lib/contents";

export default function Page() {
  return <Bikes home="/classic" />;
}
