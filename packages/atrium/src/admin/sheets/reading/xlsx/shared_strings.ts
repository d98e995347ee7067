import { FileFault } from '../../../errors.js'
import { TextRuns } from './text_runs.js'
import { MOST_SHARED } from './xlsx_limits.js'
import { ownCopy } from './xlsx_text.js'
import { readXml } from './xml_events.js'

/** Bytes of a text in memory in addition to its characters */
const OVERHEAD = 40

/**
 * The texts that cells refer to by number.
 *
 * @throws FileFault  if they would take too much memory
 */
export async function sharedStrings(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  const runs = new TextRuns()
  let size = 0
  await readXml(chunks, {
    open: (name) => runs.open(name),
    text: (text) => runs.text(text),
    close(name) {
      runs.close(name)
      if (name !== 'si') return
      const text = ownCopy(runs.take())
      size += text.length * 2 + OVERHEAD
      if (size > MOST_SHARED) throw new FileFault('sheets.fault.bomb')
      texts.push(text)
    },
  })
  return texts
}
