import { posix } from 'node:path'
import { FileFault } from '../../../errors.js'
import { dateStyles, type Moment } from './date_styles.js'
import { sharedStrings } from './shared_strings.js'
import { MOST_KEPT } from './xlsx_limits.js'
import { readXml } from './xml_events.js'
import type { ZipParts } from './zip_parts.js'

/** Facts about a workbook before its first sheet is read */
export interface Workbook {
  /** Name of the part of the first sheet */
  sheet: string
  strings: readonly string[]
  styles: ReadonlyArray<Moment | null>
  isFrom1904: boolean
}

interface Relation {
  type: string
  target: string
}

/**
 * @throws FileFault  if the file is no workbook
 */
export async function readWorkbook(parts: ZipParts): Promise<Workbook> {
  const outer = await relationsOf(parts, '')
  const book = [...outer.values()].find(({ type }) => type === 'officeDocument')?.target
  if (book === undefined || !parts.has(book)) throw new FileFault('sheets.fault.noSheet')
  const relations = await relationsOf(parts, book)
  const { sheet, isFrom1904 } = await sheetOf(parts, book)
  const target = sheet === null ? undefined : relations.get(sheet)?.target
  if (target === undefined || !parts.has(target)) throw new FileFault('sheets.fault.noSheet')
  const partOf = (wanted: string) => {
    const part = [...relations.values()].find(({ type }) => type === wanted)?.target
    return part !== undefined && parts.has(part) ? part : null
  }
  const strings = partOf('sharedStrings')
  const styles = partOf('styles')
  return {
    sheet: target,
    strings: strings === null ? [] : await sharedStrings(parts.read(strings)),
    styles: styles === null ? [] : await dateStyles(kept(parts, styles)),
    isFrom1904,
  }
}

async function sheetOf(parts: ZipParts, book: string) {
  let sheet: string | null = null
  let isFrom1904 = false
  await readXml(kept(parts, book), {
    open(name, attributes) {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes.date1904)
      if (name !== 'sheet' || sheet !== null) return
      const id = Object.keys(attributes).find((key) => key.endsWith(':id'))
      sheet = id === undefined ? null : attributes[id]
    },
    close() {},
  })
  return { sheet: sheet as string | null, isFrom1904 }
}

/** The relations of a part by their ids; those of the file for an empty name. */
async function relationsOf(parts: ZipParts, name: string): Promise<Map<string, Relation>> {
  const { base, dir } = posix.parse(name)
  const found = new Map<string, Relation>()
  const path = posix.join(dir, '_rels', `${base}.rels`)
  if (!parts.has(path)) return found
  await readXml(kept(parts, path), {
    open(element, { Id, Type = '', Target = '', TargetMode }) {
      if (element !== 'Relationship' || TargetMode === 'External') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(dir, Target)
      found.set(Id, { type: posix.basename(Type), target })
    },
    close() {},
  })
  return found
}

function kept(parts: ZipParts, name: string): AsyncGenerator<Buffer> {
  if (parts.sizeOf(name) > MOST_KEPT) throw new FileFault('sheets.fault.bomb')
  return parts.read(name)
}
