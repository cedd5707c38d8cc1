/** On screens this narrow or low, the panel covers the whole page. The style sheets use the same sizes. */
export const SMALL_SCREEN = "(max-width: 480px), (max-height: 480px)";
