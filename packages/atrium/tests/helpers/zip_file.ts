import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP file with these parts. */
export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content as string)
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, Buffer.from(name))
    const entry = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name)])
    local.push(entry, packed)
    offset += entry.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(parts).length, 8)
  end.writeUInt16LE(Object.keys(parts).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

interface Workbook {
  /** XML of the sheet's rows */
  rows: string
  /** XML of the shared strings */
  strings?: string
  /** XML of the formats of numbers, and of the styles of cells */
  formats?: string
  styles?: string
  /** Attributes of the workbook */
  properties?: string
  /** Before the sheet's outermost element */
  prolog?: string
  /** XML of the rows of a second sheet, and attributes of both */
  second?: string
  states?: readonly [string, string]
}

/** An XLSX file as spreadsheets write it. */
export function workbookOf(book: Workbook): Buffer {
  const { rows, strings = '', formats = '', styles = '', properties = '', prolog = '' } = book
  const { second, states = ['', ''] } = book
  return zipOf({
    '_rels/.rels': `<Relationships><Relationship Id="a" Type="${RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<x:workbook xmlns:x="m" xmlns:r="${RELATION}"><x:workbookPr ${properties}/><x:sheets><x:sheet name="A" ${states[0]} sheetId="1" r:id="s1"/><x:sheet name="B" ${states[1]} sheetId="2" r:id="s2"/></x:sheets></x:workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="s2" Type="${RELATION}/worksheet" Target="worksheets/b.xml"/><Relationship Id="s1" Type="${RELATION}/worksheet" Target="/xl/worksheets/a.xml"/><Relationship Id="t" Type="${RELATION}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="y" Type="${RELATION}/styles" Target="styles.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${formats}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles}</cellXfs></styleSheet>`,
    ...(second !== undefined && {
      'xl/worksheets/b.xml': `<worksheet><sheetData>${second}</sheetData></worksheet>`,
    }),
    'xl/worksheets/a.xml': `${prolog}<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  })
}
