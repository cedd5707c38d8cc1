import { attachmentLimits } from "@foyer/contract";
import { AppError } from "../../errors.ts";

const MIB = 1024 * 1024;

/** 400 for a picture or file that is not accepted. */
export function unsupportedError(problem: string): AppError {
  return new AppError(
    "UNSUPPORTED_ATTACHMENT",
    `${problem} These can be attached: JPEG, PNG, GIF and WebP pictures, PDF, DOCX, plain text and CSV.`,
  );
}

export function fileTooLargeError(): AppError {
  return new AppError("FILE_TOO_LARGE", `Files can be at most ${attachmentLimits.fileBytes / MIB} MB.`);
}
