import { Dialog } from "radix-ui";
import { renderRoutes } from "./router-page.jsx";

renderRoutes(() => (
  <Dialog.Root defaultOpen>
    <Dialog.Portal>
      <Dialog.Overlay />
      <Dialog.Content aria-describedby={undefined}>
        <Dialog.Title>Sizes</Dialog.Title>
        <input id="inner" aria-label="Size" />
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
));
