/*
 * The demo's shop, made up for the purpose. One product was never sold, one has no article number,
 * one was taken out of the shop (soft-deleted); accents and a percent sign are there for searches.
 */
interface ProductValues {
  name: string
  description: string
  category: string
  price: number
  sku: string | null
  last_sold: string | null
  is_deleted: boolean
  deleted_at: string | null
  created_at: string
}

/**
 * Rows for the table `products`, by column name; moments are UTC.
 */
export const products: ProductValues[] = [
  {
    name: 'Walnut Serving Board',
    description: 'One piece of oiled walnut with a juice groove, 40 by 25 cm.',
    category: 'Kitchen',
    price: 48.5,
    sku: 'KIT-0001',
    last_sold: '2026-09-14 16:42:10',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-02-03 09:15:00',
  },
  {
    name: 'Café Cups, Set of Four',
    description: 'Thick-walled stoneware that keeps an espresso warm. Dishwasher safe.',
    category: 'Kitchen',
    price: 32,
    sku: 'KIT-0002',
    last_sold: '2026-09-20 11:05:33',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-02-03 09:22:00',
  },
  {
    name: 'Cast Iron Pan',
    description: 'Pre-seasoned, 26 cm, for every hob and the campfire. Weighs 2.4 kg.',
    category: 'Kitchen',
    price: 59.95,
    sku: 'KIT-0003',
    last_sold: '2026-08-30 18:20:47',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-02-05 14:01:00',
  },
  {
    name: '100% Linen Tea Towel',
    description: 'Woven in Flanders; gets softer with every wash.',
    category: 'Kitchen',
    price: 9.9,
    sku: 'KIT-0004',
    last_sold: '2026-09-21 08:12:05',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-03-11 10:30:00',
  },
  {
    name: 'Brass Desk Lamp',
    description: 'Jointed arm, fabric cable, E14 bulb up to 25 W (not included).',
    category: 'Lighting',
    price: 129,
    sku: 'LIG-0001',
    last_sold: '2026-07-02 13:55:19',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-02-17 08:45:00',
  },
  {
    name: 'Paper Lantern',
    description: 'Folds flat for posting. For lamp holders of 4 cm.',
    category: 'Lighting',
    price: 14.5,
    sku: 'LIG-0002',
    last_sold: null,
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-06-24 12:00:00',
  },
  {
    name: 'Dotted Notebook A5',
    description: '160 numbered pages, lies flat when open, two ribbons.',
    category: 'Stationery',
    price: 12.9,
    sku: 'STA-0001',
    last_sold: '2026-09-22 15:30:00',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-02-03 09:40:00',
  },
  {
    name: 'Fountain Pen, Fine Nib',
    description: 'Aluminium barrel, steel nib, takes standard cartridges.',
    category: 'Stationery',
    price: 27.5,
    sku: 'STA-0002',
    last_sold: '2026-09-09 10:10:10',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-03-02 16:20:00',
  },
  {
    name: 'Gift Voucher',
    description: 'Sent by e-mail, valid for three years in the shop and online.',
    category: 'Vouchers',
    price: 25,
    sku: null,
    last_sold: '2026-09-19 20:01:44',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-04-01 07:00:00',
  },
  {
    name: 'Wool Picnic Blanket',
    description: 'Waterproof back, leather carrying strap, 150 by 200 cm.',
    category: 'Outdoors',
    price: 74,
    sku: 'OUT-0001',
    last_sold: '2026-08-16 09:27:58',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-05-06 11:11:00',
  },
  {
    name: 'Älpler Enamel Mug',
    description: 'A third of a litre, chip-resistant rim, for stove and stream.',
    category: 'Outdoors',
    price: 11.25,
    sku: 'OUT-0002',
    last_sold: '2026-09-18 17:48:36',
    is_deleted: false,
    deleted_at: null,
    created_at: '2026-05-06 11:25:00',
  },
  {
    name: 'Folding Camp Stool',
    description: 'Ash and canvas, carries 110 kg, packs to the size of an umbrella.',
    category: 'Outdoors',
    price: 39,
    sku: 'OUT-0003',
    last_sold: '2026-06-13 12:34:56',
    is_deleted: true,
    deleted_at: '2026-07-15 08:00:00',
    created_at: '2026-05-06 11:40:00',
  },
]
