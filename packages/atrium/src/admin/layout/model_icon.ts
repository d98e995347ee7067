import type { ModelView } from '../views/model_view.js'

/** Icon next to a model's name: SVG path data in a box of 24 by 24, or a letter in a tile. */
export interface ModelIcon {
  path: string | null
  letter: string
}

const PERSON = 'M8 8a4 4 0 1 0 8 0 4 4 0 1 0-8 0M4.5 20.5a7.5 7.5 0 0 1 15 0'
const BOX = 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8'
const RECEIPT = 'M6 3.5h12v17l-3-2-3 2-3-2-3 2zM9 8.5h6M9 12.5h6'
const CARD = 'M3.5 6h17v12h-17zM3.5 10h17M7 14.5h3'
const TAG = 'M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01'
const PAGE = 'M6 3.5h8l4 4v13H6zM14 3.5v4h4M9 12h6M9 16h6'
const PICTURE = 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M14.5 9.5h.01'
const SPEECH = 'M4 5h16v11h-9l-4 4v-4H4z'
const LETTER = 'M3.5 6h17v12h-17zM3.5 7l8.5 6 8.5-6'
const BUILDING = 'M5 20.5v-17h9v17M14 9h5v11.5M3.5 20.5h17M8 8h3M8 12h3M8 16h3'
const CALENDAR = 'M4 6h16v14H4zM4 10.5h16M8.5 3.5V8M15.5 3.5V8'
const PIN =
  'M12 21s6.5-6 6.5-11a6.5 6.5 0 0 0-13 0c0 5 6.5 11 6.5 11zM9.8 10a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 1 0-4.4 0'
const SLIDERS =
  'M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0'
const FILM = 'M4 5h16v14H4zM8 5v14M16 5v14M4 9.5h4M4 14.5h4M16 9.5h4M16 14.5h4'
const BOOK = 'M5 4.5h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H5zM13 6.5a2 2 0 0 1 2-2h4v14h-4a2 2 0 0 0-2 2'
const CHECKS = 'M4 6.5l1.5 1.5L8 5M4 13.5 5.5 15 8 12M11.5 7H20M11.5 14H20'
const TICKET = 'M3.5 7h17v3.5a1.5 1.5 0 0 0 0 3V17h-17v-3.5a1.5 1.5 0 0 0 0-3zM14 7v10'
const TRUCK =
  'M3 6.5h11v10H3zM14 10h4l3 3v3.5h-7M5.5 18a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M15.5 18a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0'
const STAR = 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9L3.5 9.7l5.9-.8z'

/* Icons by a word of the class name; the last matching word of a name is used. */
const DRAWINGS = new Map(
  (
    [
      [PERSON, 'account actor author client contact customer director doctor employee member'],
      [PERSON, 'owner patient people person profile student subscriber teacher user'],
      [BOX, 'article asset good item inventory material package product stock'],
      [RECEIPT, 'bill invoice order purchase quote receipt sale'],
      [CARD, 'card payment payout plan price refund subscription transaction'],
      [TAG, 'brand category genre group kind label tag topic type'],
      [PAGE, 'attachment contract document entry file form note page post report story'],
      [PICTURE, 'gallery image media photo picture'],
      [SPEECH, 'chat comment conversation feedback message reply thread'],
      [LETTER, 'email letter mail newsletter'],
      [BUILDING, 'bank branch company department distributor office organisation organization'],
      [BUILDING, 'publisher school shop store studio supplier team tenant vendor warehouse'],
      [
        CALENDAR,
        'appointment booking calendar date event holiday reservation schedule shift visit',
      ],
      [PIN, 'address area city country location place region room site town venue zone'],
      [SLIDERS, 'config configuration feature flag option parameter preference setting'],
      [FILM, 'clip episode film movie reel series show video'],
      [BOOK, 'book chapter course lesson library magazine'],
      [CHECKS, 'check checklist job milestone project step task todo'],
      [TICKET, 'case coupon incident issue request ticket voucher'],
      [TRUCK, 'delivery parcel shipment shipping vehicle'],
      [STAR, 'favorite favourite rating review vote'],
    ] as const
  ).flatMap(([path, words]) => words.split(' ').map((word) => [word, path] as const))
)

/**
 * Returns the icon of the view's options, otherwise one that matches the name, otherwise the first letter of the label.
 */
export function iconOf({ icon, name, label }: ModelView): ModelIcon {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[\s_]+/)
  const known = words.findLast((word) => DRAWINGS.has(word))
  const path = icon ?? (known && DRAWINGS.get(known)) ?? null
  return { path, letter: letterOf(label) }
}

/** Returns the letter of an icon without a drawing. */
export function letterOf(label: string): string {
  return [...label][0]?.toLocaleUpperCase('en') ?? ''
}
