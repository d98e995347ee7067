import { Module } from '@nestjs/common'
import { TypeOrmModule } from '@nestjs/typeorm'
import { Product } from './product.js'
import { ProductsController } from './products_controller.js'
import { ProductsService } from './products_service.js'

const { BENCH_DRIVER: driver, BENCH_DATABASE: database } = process.env

const connection =
  driver === 'postgres'
    ? { type: 'postgres' as const, url: database }
    : {
        type: (driver === 'sqlite3' ? 'sqlite' : driver) as 'sqlite' | 'better-sqlite3',
        database: database!,
      }

@Module({
  imports: [
    TypeOrmModule.forRoot({ ...connection, entities: [Product], retryAttempts: 0 }),
    TypeOrmModule.forFeature([Product]),
  ],
  controllers: [ProductsController],
  providers: [ProductsService],
})
export class ApplicationModule {}
