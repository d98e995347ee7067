import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts, singleText } from '../../http/form_texts.js'
import type { ChosenShape, FileShape } from '../../sheets/file_shape.js'

/**
 * Reads the form with which a file is read again. A heading that is the same as before counts only if all else is, too:
 * another sheet has another one.
 */
export function readShape(ctx: HttpContext, shape: FileShape): ChosenShape {
  const sent = sentTexts(ctx)
  const encoding = singleText(sent, 'encoding')
  const sheet = singleText(sent, 'sheet')
  /* A tab would be cut off. */
  const delimiter = sent.get('delimiter')?.at(0)
  const line = singleText(sent, 'heading')
  const heading = line === undefined || line === '' ? undefined : Number(line)
  const isSame =
    (encoding ?? shape.encoding) === shape.encoding &&
    (sheet ?? shape.sheet) === shape.sheet &&
    (delimiter ?? shape.delimiter) === shape.delimiter
  const isKept = isSame || heading !== headingOf(shape)
  return { encoding, sheet, delimiter, heading: isKept ? heading : undefined }
}

/** The line of a table's heading; undefined for other formats */
export function headingOf({ firstRows, heading }: FileShape): number | undefined {
  return heading ?? firstRows?.[0]?.line
}
