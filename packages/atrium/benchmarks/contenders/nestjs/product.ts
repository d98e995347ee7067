import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm'

const isPostgres = process.env.BENCH_DRIVER === 'postgres'
const moment = isPostgres ? 'timestamptz' : 'datetime'
const decimal = { to: (value: number) => value, from: Number }

/* Named as in the API, so that no conversion is needed. */
@Entity('products')
export class Product {
  @PrimaryGeneratedColumn()
  id!: number

  @Column({ type: 'varchar', length: 255 })
  name!: string

  @Column({ type: 'text' })
  description!: string

  @Column({ type: 'varchar', length: 120 })
  category!: string

  @Column({ type: 'decimal', precision: 12, scale: 2, transformer: decimal })
  price!: number

  @Column({ type: 'varchar', length: 64, nullable: true })
  sku!: string | null

  @Column({ type: moment, nullable: true })
  last_sold!: Date | null

  @Column({ type: 'boolean', default: false })
  is_deleted!: boolean

  @Column({ type: moment, nullable: true })
  deleted_at!: Date | null

  @CreateDateColumn({ type: moment })
  created_at!: Date

  @UpdateDateColumn({ type: moment, nullable: true })
  updated_at!: Date | null
}
