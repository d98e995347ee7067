import { Parser } from 'htmlparser2'
import { FileError } from '../../../jobs/job_errors.js'

/** Maximum number of characters of a tag */
const LONGEST_TAG = 4 * 1024 * 1024

/** Maximum nesting depth of elements; spreadsheets have about ten levels */
const DEEPEST_XML = 200

export interface XmlHandlers {
  /** @param name  name without the prefix of the namespace */
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close(name: string): void
}

/**
 * Parses XML in pieces. Entities of a document type definition are not supported, and such a document is rejected.
 *
 * @returns the handlers after each piece, when they were called for everything that the piece completes
 * @throws FileError  if it is not XML, or ends before the root element does
 */
export async function* xmlEvents<Handlers extends XmlHandlers>(
  chunks: AsyncIterable<Buffer>,
  handlers: Handlers
): AsyncGenerator<Handlers> {
  let depth = 0
  let quiet = 0
  let hasRoot = false
  let isJustOpen = false
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        quiet = 0
        depth++
        if (depth > DEEPEST_XML) throw new FileError('sheets.errors.deepXml')
        hasRoot = true
        isJustOpen = true
        handlers.open(localName(name), attributes)
      },
      ontext(text) {
        quiet = 0
        isJustOpen = false
        handlers.text?.(text)
      },
      onclosetag(name, isImplied) {
        quiet = 0
        /* Only a self-closing element can lack an end tag: `<a/>` is complete, `<a>text</b>` is not. */
        if (isImplied && !isJustOpen) throw new FileError('sheets.errors.xml')
        isJustOpen = false
        depth--
        handlers.close(localName(name))
      },
      onprocessinginstruction(name) {
        if (/^!doctype/i.test(name)) throw new FileError('sheets.errors.xml')
      },
    },
    { xmlMode: true }
  )
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) {
    const text = decoded(() => decoder.decode(chunk, { stream: true }))
    quiet += text.length
    if (quiet > LONGEST_TAG) throw new FileError('sheets.errors.bomb')
    parser.write(text)
    yield handlers
  }
  parser.write(decoded(() => decoder.decode()))
  if (depth !== 0 || !hasRoot) throw new FileError('sheets.errors.xml')
  parser.end()
  yield handlers
}

/**
 * Parses a part as a whole.
 *
 * @throws FileError
 */
export async function readXml(chunks: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  const events = xmlEvents(chunks, handlers)
  let isDone = false
  while (!isDone) {
    const { done } = await events.next()
    isDone = done === true
  }
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw new FileError('sheets.errors.xml')
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
