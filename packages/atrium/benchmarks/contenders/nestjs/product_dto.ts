import { Type } from 'class-transformer'
import { IsDate, IsNumber, IsOptional, IsString, MaxLength } from 'class-validator'

export class CreateProduct {
  @IsString()
  @MaxLength(255)
  name!: string

  @IsString()
  description!: string

  @IsString()
  @MaxLength(120)
  category!: string

  @IsNumber()
  price!: number

  @IsOptional()
  @IsString()
  @MaxLength(64)
  sku?: string | null

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  last_sold?: Date | null
}

export class UpdateProduct {
  @IsOptional()
  @IsString()
  @MaxLength(255)
  name?: string

  @IsOptional()
  @IsString()
  description?: string

  @IsOptional()
  @IsString()
  @MaxLength(120)
  category?: string

  @IsOptional()
  @IsNumber()
  price?: number

  @IsOptional()
  @IsString()
  @MaxLength(64)
  sku?: string | null

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  last_sold?: Date | null
}
